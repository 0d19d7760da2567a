"""What the history knows: which project a folder is, where it stands. The only room that starts git."""
