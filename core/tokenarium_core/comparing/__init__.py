"""What makes two tokenizers differ: their stages in canonical forms, and the texts that show each difference."""
