"""Parts that planners share: compiler, trees, rules of selection and widening, back-ups, hashing, the driver of a search."""
