"""Makes a run durable: every agent call is recorded before it is made and kept once it is answered.

``local`` does that on a SQLite file of the repository, ``cluster`` on a Postgres that many machines
share. Nothing here knows what a verdict is.
"""
