"""What public callables accept, and how they refuse the rest."""
