"""``griot``: learnings from the command line."""
