#!/usr/bin/env bash
# tokenizers (0.23.3), BpeTrainer(max_token_length=n), documented to prevent tokens longer than n. The
# longest token actually has n - 1 characters: with 4, tokens have at most three. The initial pairs are not
# checked at all: with 0, 1, 2 and 3 alike, tokens of two characters are learned. A trainer that is to
# learn the same merges has to use n - 1, and 2 if that is smaller.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check tokenizers==0.23.3
"$folder/env/bin/python" - <<'PYTHON'
from importlib.metadata import version

from tokenizers import Tokenizer, models, trainers

longest = {}
for most in (0, 1, 2, 3, 4, 5, 8, None):
    tokenizer = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(vocab_size=100, max_token_length=most, show_progress=False)
    words = ["abcdefghijkl"[:length] for length in range(2, 13)]  # of which each is the next one less its end
    tokenizer.train_from_iterator(words * 3, trainer)
    longest[most] = max(map(len, tokenizer.get_vocab()))
print(f"tokenizers {version('tokenizers')}: max_token_length and the longest token: {longest}")
assert longest == {0: 2, 1: 2, 2: 2, 3: 2, 4: 3, 5: 4, 8: 7, None: 12}, "the behaviour has changed"
PYTHON
