"""What the agent can do besides talking."""
