"""Logs of Digital Curling clients and servers, read as matches."""
