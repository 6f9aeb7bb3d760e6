"""The commands. A verb's module reads its arguments, calls a practice or a room, and prints."""
