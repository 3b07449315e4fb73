"""Parts that planners share: compiler, trees, rules of selection and widening, hashing, the driver of a search."""
