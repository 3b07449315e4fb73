"""Actions worth trying, cells of abstractions, the default policy with its playouts, and regions that they decide."""
