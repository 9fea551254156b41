"""Writes the texts of the published tables, as their authors encode them, from clones of their repositories.

    python prepare.py PETROV STRR TOKEVAL OUT

PETROV is a clone of AleksandarPetrov/tokenization-fairness, STRR of tafseer-nayeem/STRR, and TOKEVAL of
swiss-ai/tokenizer-intrinsic-evals; OUT gets a folder of texts for each, as the study files beside this one name them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

FLORES = (
    "eng_Latn", "por_Latn", "deu_Latn", "fra_Latn", "spa_Latn", "ita_Latn", "zho_Hans", "jpn_Jpan", "kor_Hang", "arb_Arab",
    "hin_Deva", "ben_Beng", "tam_Taml", "ory_Orya", "mya_Mymr", "shn_Mymr", "dzo_Tibt", "yor_Latn",
)  # fmt: skip
WORDS = ("french", "german", "italian", "spanish", "hindi", "chinese")
CORE = ("en", "zh", "es", "ar", "ru", "ja", "ko", "de", "fr", "pt", "hi", "tr", "id")


def petrov_text(clone: Path, language: str) -> str:
    """Returns all sentences of a language as one line; where a file ends, an empty sentence leaves two spaces."""
    folder = clone / "flores200_dataset"
    parts = [
        (folder / part / f"{language}.{part}").read_text("utf-8").split("\n")
        for part in ("dev", "devtest")
    ]
    return " ".join(parts[0] + parts[1])


def strr_words(clone: Path, language: str) -> tuple[list[str], list[str]]:
    """Returns the words of a language and their translations, without pairs that have a space."""
    entries = json.loads((clone / "data" / f"{language}_english_words.json").read_text("utf-8"))
    pairs = [(one[language], one["english"]) for one in entries]
    single = [pair for pair in pairs if " " not in "".join(pair)]
    return [one for one, _ in single], [other for _, other in single]


def tokeval_lines(clone: Path, language: str) -> list[str]:
    """Returns the distinct lines of at least five characters, with one space for several."""
    text = (clone / "parallel" / f"{language}.txt").read_text("utf-8").strip()
    text = re.sub(" *\n *", "\n", re.sub(" +", " ", text))
    return [line for line in dict.fromkeys(map(str.strip, text.split("\n"))) if len(line) >= 5]


def main(petrov: Path, strr: Path, tokeval: Path, out: Path) -> None:
    """Writes all texts."""
    texts = {f"petrov/{one}.txt": petrov_text(petrov, one) for one in FLORES}
    for language in WORDS:
        words, translations = strr_words(strr, language)
        texts[f"strr/{language}.txt"] = "\n".join(words) + "\n"
        texts[f"strr/{language}-english.txt"] = "\n".join(translations) + "\n"
    texts |= {f"tokeval/{one}.txt": "\n".join(tokeval_lines(tokeval, one)) + "\n" for one in CORE}
    for name, text in texts.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


if __name__ == "__main__":
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    main(*map(Path, sys.argv[1:]))
