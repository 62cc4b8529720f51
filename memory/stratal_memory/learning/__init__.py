"""From what was said to what is remembered: injected text, secrets, rules, worth, resolution."""
