"""How inputs are spoilt: byte by byte, and part by part where they are documents."""
