"""Double Integrator: bring a mass to rest in noise."""
