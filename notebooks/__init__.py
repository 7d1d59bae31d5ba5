"""Stories for seven readers, stored with what they show; ``make test`` runs them and compares."""
