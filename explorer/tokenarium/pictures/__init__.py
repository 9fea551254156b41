"""Files with pictures: SVG, GIF, and films written bit by bit."""
