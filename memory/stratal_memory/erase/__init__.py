"""Erase: what was remembered goes from every row and every file, and a receipt says so."""
