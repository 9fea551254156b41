"""A small folder of a model without a fault, and changes of its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

import tokenarium_core as tc

CHAT = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"


def sound_folder(path: Path) -> Path:
    """Writes a folder as transformers 5 saves it, and returns it: there the added tokens are declared in tokenizer.json alone."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=letters, show_progress=False)
    made.train_from_iterator(["hello world, this is text"] * 5, trainer)
    made.add_special_tokens(["<s>", "</s>"])
    start = made.token_to_id("<s>")
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", start)]
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>", eos_token="</s>")
    fast.chat_template = CHAT
    fast.save_pretrained(path)
    ids = {"bos_token_id": start, "eos_token_id": made.token_to_id("</s>")}
    write(path / "config.json", {"vocab_size": len(fast), **ids})
    return path


def write(path: Path, fields: dict[str, Any]) -> None:
    path.write_text(json.dumps(fields), "utf-8")


def change(folder: Path, **fields: Any) -> tc.Tokenizer:
    """Returns the tokenizer of a folder with other fields in its tokenizer.json."""
    path = folder / "tokenizer.json"
    write(path, json.loads(path.read_text("utf-8")) | fields)
    return tc.open(folder)
