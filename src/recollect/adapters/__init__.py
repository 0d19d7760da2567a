"""
Adapters: memory, conversations and the window inside other people's frameworks, one module for each.

Each needs its framework, which comes with an extra of the same name: `pip install "recollect[langgraph]"`. Importing
this package loads none of them. Which to take is told in docs/frameworks.md.
"""
