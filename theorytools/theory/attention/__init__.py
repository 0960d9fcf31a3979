"""What is proved of attention layers with given weights."""
