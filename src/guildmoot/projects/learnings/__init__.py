"""What was learnt: notes of corrections, judged before they become learnings that agents load."""
