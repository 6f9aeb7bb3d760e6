"""Finding pages: words, one scorer, an index that can be deleted."""
