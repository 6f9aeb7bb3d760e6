"""Undo before loss: what a command may discard is first kept under a ref of its own, and comes back whole."""
