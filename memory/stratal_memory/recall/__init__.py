"""From a question to capped text: arms propose, the gate cuts, the ranker orders."""
