"""Views: each file is one workspace, which arranges widgets and ties them to the session."""
