"""The wiki: pages, captures, gate, lint."""
