"""The sources of code: their digest, the folder of what was compiled from them, and plug-in packages."""
