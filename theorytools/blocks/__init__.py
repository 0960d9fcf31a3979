"""Networks as blocks on the fields of a position: one form for what is constructed and what is traced."""
