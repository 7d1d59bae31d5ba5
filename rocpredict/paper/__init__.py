"""The founding paper, reproduced: every table and figure, ours beside the printed ones."""
