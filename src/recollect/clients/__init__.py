"""The agents that recollect can be put into, each as data: where its files are and what goes into them."""
