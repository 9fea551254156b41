"""Chats: templates, the messages, and the tokens of each role."""
