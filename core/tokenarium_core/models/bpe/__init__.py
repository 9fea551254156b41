"""BPE, over bytes and over characters: merges, and the ways to make them fast."""
