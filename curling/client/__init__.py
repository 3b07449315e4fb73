"""A client of the Digital Curling servers: any planner plays by their rules and within their time limits."""
