"""The mathematics that one paper alone needs, a room for each paper; nothing outside imports them."""
