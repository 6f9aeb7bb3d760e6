"""Turns a reply into a judgement and trusts none of it; ``grounding`` checks the claims."""
