"""Actions worth trying, the default policy and its playouts."""
