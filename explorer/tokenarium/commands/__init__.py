"""The command line of `tokenarium`, one file per command."""
