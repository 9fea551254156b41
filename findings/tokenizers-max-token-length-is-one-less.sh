#!/usr/bin/env bash
# tokenizers (0.23.3), BpeTrainer(max_token_length=n), whose documentation says that it prevents tokens longer than n. The
# longest token has n - 1 characters, so that with 4 there are tokens of three. The first pairs are not looked at at all:
# with 0, 1, 2 and 3 alike, where one guesses at most so many characters, tokens of two are learned. A trainer that is to
# learn the same merges has to take one less, and 2 where that is smaller.
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
