"""Token counters: approximate ones, a vocabulary, and the automatic choice. Never the network."""
