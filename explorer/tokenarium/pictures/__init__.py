"""Picture files: PNG, SVG and GIF."""
