"""Covering numbers and generalisation that this paper alone needs."""
