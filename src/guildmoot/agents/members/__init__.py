"""Members of types, as far as they can be told without a compiler."""
