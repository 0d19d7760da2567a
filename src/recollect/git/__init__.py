"""Git: which project a folder is, history, renames, working tree. The only room that starts git."""
