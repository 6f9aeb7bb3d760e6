"""The whiteboard: several engineers plan on one board, in rounds. ``run`` reads top to bottom.

hearing   a board's sections as positions, and its minutes
memory    how much of what was said before fits, and what is dropped first
prompts   what every engineer is shown and asked for
rounds    one round: one packet, one call an engineer, one section each
record    what lasts of a run, and how it is made again
run       the rounds one after another, until they are done or settled
"""
