"""Ways of making a history shorter: pure views; the stored history never changes."""
