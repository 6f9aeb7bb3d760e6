"""Pages, or templates: the code between their marks, and the tags that must pair up."""
