"""Skills: parse them, find them, match them to a message."""
