"""Qwen Code: a relative of Gemini CLI whose hooks are named as in Claude Code."""
