"""Which names of a file are declared where they are used: a table for each language, and who else may give a name."""
