"""The one truth: a SQL database that owns every record; everything else can be rebuilt from it."""
