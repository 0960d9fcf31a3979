"""Attention networks that this paper alone needs."""
