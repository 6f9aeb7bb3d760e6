"""What happened in a run, told from its records, the ledger and its logs: events, costs, summary, spans."""
