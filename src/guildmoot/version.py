"""The version of this program, where every room can read it without touching another."""

__version__ = "0.1.0"
