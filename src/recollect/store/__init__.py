"""
The database: the only SQL (named queries in `store/sql`) and the only drivers. Others see the `Db` protocol and
functions of tables.
"""
