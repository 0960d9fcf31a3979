"""Claims: a statement, its controls, its verdict; the catalogue of all of them."""
