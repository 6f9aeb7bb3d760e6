"""A map of a codebase without a model: languages, imports, tests, history and risk, kept by content."""
