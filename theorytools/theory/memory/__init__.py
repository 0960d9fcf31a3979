"""How many bits a state must hold: counting, packing, Fano, rate and distortion."""
