"""What touches the machine: git, processes, files, locks, the environment of child processes."""
