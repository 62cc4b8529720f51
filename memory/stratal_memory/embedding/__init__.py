"""Texts to vectors: one Protocol, several engines, and the search for a model on this machine."""
