"""From an intent to proven work: the documents of each step, what makes them valid, and where the work stands."""
