"""BPE over bytes and over characters, and its optimizations."""
