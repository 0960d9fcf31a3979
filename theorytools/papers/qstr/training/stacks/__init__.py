"""Stacked models: the repeats of a cell as one batched network."""
