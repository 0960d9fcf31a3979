"""How far outputs move with the weights that this paper alone needs."""
