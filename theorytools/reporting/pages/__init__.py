"""The bodies of the pages."""
