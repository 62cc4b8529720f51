"""The memory of Stratal: records, stores, recall, learning and consolidation.

Knows no provider, no tokenizer and no web: what it needs from above it takes as an argument.
"""
