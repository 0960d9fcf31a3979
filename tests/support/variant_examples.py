"""A check file that varies the claim of the file beside it."""

VARIANT = (
    "from dataclasses import replace\nfrom .lemma_01 import claim as first\n"
    'second = replace(first, label="Second", role="variant", source="derived here: Lemma 1")\n'
)
