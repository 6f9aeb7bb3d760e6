"""Rules that find defects in languages which have no other judge here: few, and of real harm."""
