"""
Search: from a question to ranked hits that can say why; what is known about a file, a symbol or an error; what a
change touches.
"""
