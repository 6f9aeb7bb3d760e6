"""What lasts in the user's repository; every write is atomic."""
