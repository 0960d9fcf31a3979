"""Communication arguments that this paper alone needs."""
