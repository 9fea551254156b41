"""Transformers in a separate process, which answers requests about folders, line by line.

It gets a JSON object a line, with a folder and texts, and answers with one: the class, the number of ids, and for each
text the ids with and without what is put around it, and the text that the first ones are decoded to; or an error.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Returns how transformers opens a folder."""
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(request["folder"])
    except Exception as error:  # each class has its own
        return {"error": f"{type(error).__name__}: {error}"}
    # Of a class in Python, the text is that of all tokens as they are.
    decode = getattr(tokenizer, "_tokenizer", tokenizer).decode
    texts = []
    if any(hasattr(tokenizer, name) for name in ("only_label_first_subword", "entity_vocab")):
        # Such classes take words with boxes, or entities, besides a text.
        whole = tokenizer._tokenizer
        for text in request["texts"]:
            ids = whole.encode(text).ids
            inner = whole.encode(text, add_special_tokens=False).ids
            texts.append([ids, inner, decode(ids, skip_special_tokens=True)])
        return {"class": type(tokenizer).__name__, "size": len(tokenizer), "texts": texts}
    for text in request["texts"]:
        ids = tokenizer(text).input_ids
        inner = tokenizer(text, add_special_tokens=False).input_ids
        texts.append([ids, inner, decode(ids, skip_special_tokens=True)])
    return {"class": type(tokenizer).__name__, "size": len(tokenizer), "texts": texts}


def main() -> None:
    """Answers each line until the input ends."""
    answers = os.dup(1)  # libraries may print
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="critical")
    with os.fdopen(answers, "w") as out:
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), file=out, flush=True)


if __name__ == "__main__":
    main()
