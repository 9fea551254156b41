"""How everything looks: the themes, their colours, light or dark."""
