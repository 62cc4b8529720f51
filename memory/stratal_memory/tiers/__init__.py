"""The four stores: what each kind of memory means, on the same truth."""
