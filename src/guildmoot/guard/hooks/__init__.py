"""Hook events of coding agents: read, decided, answered by each host's own contract, and recorded."""
