"""What the model reads: budget, sections, order, checks and the ledger. Pure: no I/O, no clock."""
