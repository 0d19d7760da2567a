"""The vault: a folder of Markdown notes that people and agents write together, kept in step with memory."""
