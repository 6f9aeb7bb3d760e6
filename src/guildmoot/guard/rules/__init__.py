"""What the guard says of each kind of program, and the rulings it says it with."""
