"""The largest error over all prompts of a class: exact behind one head, bounded behind what bends."""
