"""Stratal: persistent agents whose memory lies in tiers."""
