"""The whiteboard: several engineers plan on one board, in rounds. ``run`` reads top to bottom.

boards    boards on disk; ``board_edits`` is what a change to one looks like
request   what is asked for, by whom it is planned, and the run's record of both
prompts   what every engineer is shown and asked for
rounds    one round: one packet, one call an engineer, one section each
minutes   a board's sections as positions, and what they come to
run       the rounds one after another, until they are done or settled
"""
