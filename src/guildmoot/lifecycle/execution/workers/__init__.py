"""Who does the work of a lane: one seam, and what stands behind it."""
