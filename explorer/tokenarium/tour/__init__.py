"""The tour: pictures of every state of the window."""
