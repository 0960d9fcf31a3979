"""Attention in machine formats: rounding, its worst cases, certified errors."""
