"""How well memory finds what was said: gold evidence, deterministic measures, no judge."""
