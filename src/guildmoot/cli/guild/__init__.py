"""The verbs of ``guild``: each parses its words, calls the api and prints what came of it."""
