"""A queue of jobs in SQLite with asynchronous workers."""
