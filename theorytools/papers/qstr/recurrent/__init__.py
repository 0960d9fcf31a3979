"""Recurrent networks that this paper alone needs."""
