"""What a first layer must keep that this paper alone needs."""
