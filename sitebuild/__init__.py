"""Set-up, site and server. Standard library only; what needs packages runs in the project's own environment as a subprocess."""
