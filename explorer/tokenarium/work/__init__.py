"""Work that takes longer than a frame: in slices, in threads that wait, in processes of its own."""
