"""The least norm with which a network can fit data."""
