"""Records of matches, the positions in them, and the umpire who applies the rules of a match."""
