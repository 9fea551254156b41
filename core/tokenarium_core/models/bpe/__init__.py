"""BPE over bytes and over characters, and what makes it fast."""
