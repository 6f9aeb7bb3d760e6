"""What PHP says for certain of names: classes by namespace and import, functions, constants and members."""
