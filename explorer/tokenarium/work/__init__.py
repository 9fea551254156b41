"""Work that takes longer than a frame: slices, threads, processes."""
