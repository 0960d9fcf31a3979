"""The constructions as torch modules; imported where a module is asked for."""
