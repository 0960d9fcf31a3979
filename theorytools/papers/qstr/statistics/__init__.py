"""Statistics that this paper alone needs."""
