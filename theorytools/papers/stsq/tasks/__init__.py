"""Models of data that this paper alone needs."""
