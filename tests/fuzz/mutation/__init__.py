"""How inputs are mutated: as bytes, and part by part where they are documents."""
