"""What a state must hold that this paper alone needs."""
