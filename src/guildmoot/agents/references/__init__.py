"""Which files of a repository a file names: what a change deletes, moves or misspells while others still need it."""
