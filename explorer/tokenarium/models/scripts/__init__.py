"""How vocabularies and texts spread over scripts."""
