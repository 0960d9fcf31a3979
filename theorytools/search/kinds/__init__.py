"""Kinds of objects that a letter may stand for: each knows its simple members, its neighbours and its own form."""
