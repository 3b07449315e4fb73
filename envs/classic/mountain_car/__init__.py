"""Mountain Car: gather speed to leave a valley."""
