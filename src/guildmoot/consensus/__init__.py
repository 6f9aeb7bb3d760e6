"""Makes one verdict of many judgements by named rules; pure functions, no input or output."""
