"""Studies of `bonspiel tune` that come with this package, as TOML files."""
