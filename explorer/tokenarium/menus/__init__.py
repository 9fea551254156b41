"""Actions of the menus and the palette, and the commands they run."""
