"""``loom``: a project's records from the command line."""
