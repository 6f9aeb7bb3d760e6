"""Whether the work is done: review of each lane, verification of the result, what was learnt."""
