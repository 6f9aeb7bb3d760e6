"""Reads files of many languages by their grammar, without running anything of them."""
