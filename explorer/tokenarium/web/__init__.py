"""Pages of HTML with figures that need neither a window nor a network."""
