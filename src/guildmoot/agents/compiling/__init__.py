"""What a compiler refuses whatever a grammar says: directives, jumps, names twice, headers that nobody has."""
