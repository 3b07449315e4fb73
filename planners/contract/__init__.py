"""The contract of planners: checked in every decision that is played, and at length before a run or in a test."""
