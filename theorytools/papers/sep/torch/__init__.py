"""The networks of this paper as torch modules; they import the networks, never the other way."""
