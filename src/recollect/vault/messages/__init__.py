"""Messages to a person who is not at the keyboard, and what they say: one small interface, several channels."""
