"""The verbs behind an approved plan: carry it out, review, verify, reflect, and let skills learn from it."""
