"""The derived vector index: nearest neighbours, exactly or through Chroma, behind one door."""
