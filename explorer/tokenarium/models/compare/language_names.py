"""The names of languages by the codes that files are named after, as ``mya``, ``deu_1996`` and ``zho_Hans``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import regex

_CODE = regex.compile(r"([a-z]{2,3})(?:[_-]([A-Za-z0-9_-]+))?")


def language_titles(names: Sequence[str]) -> list[str]:
    """Returns English names for the names of files, if all of them are codes of ISO 639, otherwise the names.

    A code may be followed by a script or a variant, as in FLORES and in the Universal Declaration of Human Rights. What
    follows is shown where the same language is there twice.

    >>> language_titles(["mya_Mymr", "deu_1996"])
    ['Burmese', 'German']
    >>> language_titles(["zho_Hans", "zho_Hant"])
    ['Chinese (Hans)', 'Chinese (Hant)']
    >>> language_titles(["old", "new"])
    ['old', 'new']
    """
    found = [_language_of(name) for name in names]
    languages = [each for each in found if each is not None]
    # "old" and "new" are codes too, of languages without a code of two letters.
    if len(languages) < len(names) or not any(common for _, _, common in languages):
        return list(names)
    times = Counter(title for title, _, _ in languages)
    titles = [
        f"{title} ({variant})" if times[title] > 1 and variant else title
        for title, variant, _ in languages
    ]
    return titles if len(set(titles)) == len(titles) else list(names)


def _language_of(name: str) -> tuple[str, str, bool] | None:
    """Returns a language's name, what follows its code, and whether it is known by two letters or a script as well."""
    import iso639  # few starts need it

    match = _CODE.fullmatch(name)
    if match is None:
        return None
    code, variant = match[1], match[2] or ""
    try:
        # Not by its old codes or its name: "new" is one of each.
        language = iso639.Language.match(code)
    except iso639.LanguageNotFoundError:
        return None
    if code not in (language.part1, language.part2b, language.part3):
        return None
    # Without remarks on its kind or its time: "Swahili (individual language)", "Modern Greek (1453-)".
    title = language.name.partition(" (")[0]
    return title, variant, bool(language.part1 or regex.fullmatch("[A-Z][a-z]{3}", variant))
