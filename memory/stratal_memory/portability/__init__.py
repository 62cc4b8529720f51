"""Moving memory in and out: our own documented lines, and what other systems export."""
