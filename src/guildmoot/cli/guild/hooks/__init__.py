"""The guard's verbs: hooks, installation, undo, approvals, audit."""
