"""How well players' and models' lines are understood, measured on labelled lines."""
