"""The SQLite driver on apsw: connections, transactions, errors as sentences, what the file system allows."""
