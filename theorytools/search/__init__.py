"""Find a point, or an object, at which a statement fails: what is searched, in which order, and how it is shrunk."""
