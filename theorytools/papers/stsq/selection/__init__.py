"""Queries that select a sparse set: cross-talk, separation, loss and gradient flow."""
