"""Which files a session will need: learned from earlier sessions, foreseen from what is asked."""
