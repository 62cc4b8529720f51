"""What of a person a line tells and a question asks for: known attributes, read by meaning."""
