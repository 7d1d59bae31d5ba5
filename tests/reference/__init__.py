"""Numbers that other programs gave, and how they were made; see README.md."""
