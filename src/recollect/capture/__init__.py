"""What enters memory: cleaned, redacted and judged before anything is written."""
