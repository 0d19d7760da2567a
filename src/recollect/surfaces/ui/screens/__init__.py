"""The screens, one module each: what a page shows (`PAGES`) and what can be done there (`ACTIONS`)."""
