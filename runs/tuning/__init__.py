"""Tuning of planners' parameters: trials from a sampler, stopped early where they lag, then a final on fresh draws."""
