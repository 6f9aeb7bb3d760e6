"""What engineers hold on a whiteboard: their positions, what contradicts, and the minutes."""
