#!/usr/bin/env bash
# tokenizers (0.23.3): trainings of WordPiece and Unigram are not reproducible. With the same corpus and options, the
# letters (in WordPiece those with "##") have other ids each time; in WordPiece, where two pairs occur equally often, other
# entries are learned as well. BPE gives the same vocabulary each time. A script that trains a tokenizer again, instead
# of keeping its file, gives a model that was trained with the first file other ids for the same letters.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check tokenizers==0.23.3
"$folder/env/bin/python" - <<'PYTHON'
from importlib.metadata import version

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

lines = ["the quick brown fox jumps over a lazy dog", "pack my box with five dozen jugs of liquid"] * 20
kinds = {
    "WordPiece": (models.WordPiece, trainers.WordPieceTrainer),
    "Unigram": (models.Unigram, trainers.UnigramTrainer),
    "BPE": (models.BPE, trainers.BpeTrainer),
}
found = {}
for name, (model, trainer) in kinds.items():
    vocabularies = []
    for _ in range(6):
        tokenizer = Tokenizer(model())
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer.train_from_iterator(lines, trainer(vocab_size=70, show_progress=False))
        vocabularies.append(tokenizer.get_vocab())
    sets = {frozenset(vocabulary) for vocabulary in vocabularies}
    ids = {frozenset(vocabulary.items()) for vocabulary in vocabularies}
    found[name] = len(ids) == 1
    print(f"tokenizers {version('tokenizers')}, {name}: 6 trainings, sets of entries: {len(sets)}, with their ids: {len(ids)}")
assert found == {"WordPiece": False, "Unigram": False, "BPE": True}, "the behaviour has changed"
PYTHON
