"""Explicit networks: the proofs' constructions with exact weights and certified errors."""
