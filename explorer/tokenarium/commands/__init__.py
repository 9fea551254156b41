"""What `tokenarium` does on the command line, a file for each command."""
