"""Puts the guard in front of a coding agent and takes it away again, and proves what it covers."""
