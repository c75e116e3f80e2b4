"""A gate's runs in PostgreSQL: for many machines."""
