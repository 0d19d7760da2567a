"""From recipes to skills: a recipe that holds becomes an Agent Skill, a file that a person said yes to."""
