"""What provokes every error message, and what each means."""
