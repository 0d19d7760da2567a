"""The PostgreSQL driver: connections, statements, organisations, and the schema's steps."""
