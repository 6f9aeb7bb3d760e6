"""What an engineer takes a stand on, read from prose: one decision, sentences, and all that is around them."""
