"""A check file that varies the claim of the file beside it."""

VARIANT = (
    'from dataclasses import replace\nfrom .lemma_01 import claim as first\nsecond = replace(first, label="Second")\n'
)
