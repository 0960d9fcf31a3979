"""What one layer lets two parties say to each other: matrices of languages, protocols, rules that merge."""
