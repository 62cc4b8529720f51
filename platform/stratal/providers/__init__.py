"""The models: one Protocol, one module an API, and how their errors are told apart."""
