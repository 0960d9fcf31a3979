"""What a mistake in a check means: at which line it stands, what was written there, and what to write.

The engine says which rule a check breaks; whoever writes one wants to know what is wrong on which line.  That is read
off the syntax tree of the file, and nothing of it is run again.
"""
