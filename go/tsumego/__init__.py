"""Life and death: problems of Go with a verdict, their rules for the proof-number search, and a generator."""
