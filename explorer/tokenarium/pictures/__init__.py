"""Files with pictures: SVG, GIF, and animations written bit by bit."""
