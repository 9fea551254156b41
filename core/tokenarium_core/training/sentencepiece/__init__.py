"""What training in SentencePiece's manner needs beside the algorithms: its lines, words, pieces and options."""
