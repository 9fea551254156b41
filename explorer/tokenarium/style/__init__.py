"""The looks: themes, colours, light and dark."""
