"""Squares with several rings that pay, one for each two coordinates of the action; an instance draws them."""
