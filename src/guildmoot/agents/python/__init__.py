"""What a change does to Python beyond what ruff sees: calls, queries, returns, handlers, files that stay open."""
