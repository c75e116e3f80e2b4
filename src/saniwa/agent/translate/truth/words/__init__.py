"""The words a check knows, by language: what they name, deny, tell or promise."""
