"""How many independent votes a panel is worth: probes, calibration, counting. Pure functions."""
