"""One module a table or a group of tables: functions that run named queries and turn rows into values."""
