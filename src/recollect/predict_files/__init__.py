"""Predicting the files a session will need, from earlier sessions, the branch, the prompt and co-change."""
