"""Phase diagrams: over two size letters, what is proved possible, proved impossible, reached by training, or open."""
