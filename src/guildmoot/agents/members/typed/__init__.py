"""Members that a type does not have, asked of what is written to be of that type: C#, Go, Java, Rust, TypeScript."""
