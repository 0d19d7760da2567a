"""Export and import of memories."""
