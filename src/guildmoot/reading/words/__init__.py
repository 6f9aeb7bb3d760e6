"""What the words of a reply weigh: its verdict, what may stand around it, and what speaks against it."""
