"""Feedforward networks that this paper alone needs."""
