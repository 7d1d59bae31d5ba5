"""Results of other programs, and the scripts that computed them; see README.md."""
