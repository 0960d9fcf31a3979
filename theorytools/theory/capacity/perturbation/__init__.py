"""How far outputs move when parameters move: one layer, networks, deep and recurrent ones."""
