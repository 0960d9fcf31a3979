"""What a module's own floats can add, operator by operator."""
