"""Documents in: readers, chunks, and the run that brings them into memory."""
