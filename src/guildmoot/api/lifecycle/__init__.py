"""The verbs behind an approved plan: carry it out, review, verify, reflect."""
