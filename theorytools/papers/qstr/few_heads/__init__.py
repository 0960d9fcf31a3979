"""Attention with fewer heads than indexed tokens: what it still sees, and what attains the bound."""
