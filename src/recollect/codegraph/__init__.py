"""
The code graph: tree-sitter outlines, names resolved by language, stored by content; built, asked and added to here.
"""
