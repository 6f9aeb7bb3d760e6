"""The brief of each lane: what goes into a context bundle, and how it is written."""
