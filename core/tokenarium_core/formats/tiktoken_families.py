"""Models whose files of ranks are known by their names, their hash, or the class that the folder names for them.

A file of ranks holds neither the pattern nor the special tokens, which are in the code of each model. Sources:
``get_encoding`` in openai/whisper's ``whisper/tokenizer.py``; ``tokenization_qwen.py`` of Qwen's and Qwen-VL's models;
``tokenization_kimi.py`` of moonshotai's; ``tokenization_chatglm.py`` of GLM-4's (class ChatGLM4Tokenizer); and
``models/llama3/tokenizer.py`` and ``models/llama4/tokenizer.py`` of meta-llama/llama-models. No code of a folder is run.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.foreign import content_of
from tokenarium_core.formats.json_scanner import whole_json
from tokenarium_core.formats.settings_files import CONFIG, MODEL_CONFIG
from tokenarium_core.plain_files import read_file

_END: Final = "<|endoftext|>"

WHISPER_FILE: Final = "multilingual.tiktoken"
WHISPER_ENGLISH: Final = "gpt2.tiktoken"
QWEN_FILE: Final = "qwen.tiktoken"

FOLDER_NAMES: Final = (QWEN_FILE, "tiktoken.model")
"""The names of such files in the folders of models."""

WHISPER_LANGUAGES: Final = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk"
    " te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo"
    " ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue"
)
"""The languages of Whisper in its order; files before large-v3 have all but the last."""

WHISPER_NAMES: Final = (
    "english=en chinese=zh german=de spanish=es russian=ru korean=ko french=fr japanese=ja portuguese=pt "
    "turkish=tr polish=pl catalan=ca dutch=nl arabic=ar swedish=sv italian=it indonesian=id hindi=hi finnish=fi "
    "vietnamese=vi hebrew=he ukrainian=uk greek=el malay=ms czech=cs romanian=ro danish=da hungarian=hu tamil=ta "
    "norwegian=no thai=th urdu=ur croatian=hr bulgarian=bg lithuanian=lt latin=la maori=mi malayalam=ml welsh=cy "
    "slovak=sk telugu=te persian=fa latvian=lv bengali=bn serbian=sr azerbaijani=az slovenian=sl kannada=kn "
    "estonian=et macedonian=mk breton=br basque=eu icelandic=is armenian=hy nepali=ne mongolian=mn bosnian=bs "
    "kazakh=kk albanian=sq swahili=sw galician=gl marathi=mr punjabi=pa sinhala=si khmer=km shona=sn yoruba=yo "
    "somali=so afrikaans=af occitan=oc georgian=ka belarusian=be tajik=tg sindhi=sd gujarati=gu amharic=am "
    "yiddish=yi lao=lo uzbek=uz faroese=fo haitian_creole=ht pashto=ps turkmen=tk nynorsk=nn maltese=mt "
    "sanskrit=sa luxembourgish=lb myanmar=my tibetan=bo tagalog=tl malagasy=mg assamese=as tatar=tt hawaiian=haw "
    "lingala=ln hausa=ha bashkir=ba javanese=jw sundanese=su cantonese=yue burmese=my valencian=ca flemish=nl "
    "haitian=ht letzeburgesch=lb pushto=ps panjabi=pa moldavian=ro moldovan=ro sinhalese=si castilian=es "
    "mandarin=zh"
)
"""The names of the languages, with ``_`` for a space, and their codes."""

_USUAL_LANGUAGES: Final = 99
_NO_LANGUAGES: Final = 51766
"""The entries of a multilingual model of Whisper without its languages."""
_TIMES: Final = 1501

_QWEN_FIRST: Final = 151643
_QWEN_EXTRAS: Final = 205
_QWEN_PICTURES: Final = "<ref> </ref> <box> </box> <quad> </quad> <img> </img> <imgpad>"

_KIMI_RESERVED: Final = 256
_KIMI: Final = "|".join(
    [
        r"[\p{Han}]+",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)

_GLM: Final = (
    "<|endoftext|> [MASK] [gMASK] [sMASK] <sop> <eop> <|system|> <|user|> <|assistant|> <|observation|> <|begin_of_image|>"
    " <|end_of_image|> <|begin_of_video|> <|end_of_video|>"
)
_GLM_BEFORE: Final = ("[gMASK]", "<sop>")

LLAMA_RANKS: Final = {"82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55"}
"""The SHA-256 of the files of Llama 3's ranks, of which there are copies with other ends of lines."""

_LLAMA_TOKENS: Final = 256
_LLAMA: Final = (
    "<|begin_of_text|> <|end_of_text|> <|reserved_special_token_0|> <|reserved_special_token_1|> <|finetune_right_pad_id|>"
    " <|step_id|> <|start_header_id|> <|end_header_id|> <|eom_id|> <|eot_id|> <|python_tag|> <|image|>"
)

LLAMA4_RANKS: Final = {"d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed"}
"""The SHA-256 of the file of Llama 4's ranks."""

_LLAMA4_TOKENS: Final = 2048
_LLAMA4_BEFORE: Final = (
    "<|begin_of_text|> <|end_of_text|> <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|header_start|> <|header_end|> <|eom|>"
    " <|eot|> <|step|>"
)
_LLAMA4_TOOLS: Final = "<|python_start|> <|python_end|> <|finetune_right_pad|>"
_LLAMA4_PICTURES: Final = (
    "<|image_start|> <|image_end|> <|vision_reserved_special_token_0|> <|vision_reserved_special_token_1|>"
    " <|tile_x_separator|> <|tile_y_separator|> <|vision_reserved_special_token_2|> <|vision_reserved_special_token_3|>"
    " <|vision_reserved_special_token_4|> <|vision_reserved_special_token_5|> <|image|> <|vision_reserved_special_token_6|>"
    " <|patch|>"
)
_LLAMA4_REASONING: Final = "<|reasoning_thinking_start|> <|reasoning_thinking_end|>"

_LARGEST: Final = 1 << 22
_LARGEST_ID: Final = 1 << 21


@final
class TiktokenFamily:
    """What a file of ranks lacks, for one model.

    ``title`` is for users, with where it was found; ``pattern`` is a name of `PRE_TOKENIZERS` or an expression;
    ``special`` are the special tokens by their ids; ``before`` come before a text, and ``composed`` says that a text is
    put into the form NFC first. ``files`` are those that were read.
    """

    def __init__(
        self,
        title: str,
        pattern: str,
        special: dict[str, int],
        files: list[Path],
        before: tuple[str, ...] = (),
        composed: bool = False,
    ) -> None:
        self.title = title
        self.pattern = pattern
        self.special = special
        self.files = files
        self.before = before
        self.composed = composed


def family_of(path: Path, sha256: str, entries: int) -> TiktokenFamily | None:
    """Returns the family of a file of ranks with so many entries; None if neither it nor its folder says which.

    ``sha256`` is that of its lines as they end on Unix, in hexadecimal digits.

    Raises FormatError if the settings beside it cannot be used.
    """
    folder = path.parent
    if path.name == WHISPER_FILE or (
        path.name == WHISPER_ENGLISH and (folder / WHISPER_FILE).is_file()
    ):
        return _whisper(folder, path.name, entries)
    config = _object(folder / CONFIG)
    named = str(config.get("tokenizer_class", ""))
    read = [folder / CONFIG] if config else []
    if path.name == QWEN_FILE or named == "QWenTokenizer":
        return _qwen(folder, read)
    added = _added(config)
    if named == "TikTokenTokenizer":
        return _kimi(added, entries, read)
    if named == "ChatGLM4Tokenizer":
        usual = _numbered(_GLM.split(), entries)
        return TiktokenFamily(
            f"GLM-4 ({named} in {CONFIG})", "llama3", added or usual, read, _GLM_BEFORE
        )
    if sha256 in LLAMA_RANKS:
        return _llama("Llama 3", "llama3", _llama3_names(), added, entries, read)
    if sha256 in LLAMA4_RANKS:
        return _llama("Llama 4", "o200k", _llama4_names(), added, entries, read)
    return None


def is_of_family(path: Path) -> bool:
    """Returns whether `family_of` knows a file, which is read only if it may be one that is known by its hash.

    True also if the settings beside it cannot be used: opening it says why. OSError if it cannot be read.
    """
    size = path.stat().st_size
    content = read_file(path, size) if path.suffix == ".model" and size < _LARGEST else b""
    sha256 = hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()
    try:
        return family_of(path, sha256, 0) is not None
    except FormatError:
        return True


def _whisper(folder: Path, name: str, entries: int) -> TiktokenFamily:
    """Returns Whisper's: the next ids are those of its languages, tasks and times."""
    languages = _USUAL_LANGUAGES
    known = WHISPER_LANGUAGES.split()
    read: list[Path] = []
    where = f"{languages} languages, as before large-v3"
    model = _object(folder / MODEL_CONFIG)
    size = model.get("vocab_size")
    if name == WHISPER_FILE and model.get("model_type") == "whisper" and type(size) is int:
        languages = size - _NO_LANGUAGES
        if not 0 < languages <= len(known):
            raise FormatError(
                f"{MODEL_CONFIG} gives Whisper {size:,} entries, which is {languages} languages: known are 1 to {len(known)}."
                " Correct vocab_size, or move the file away."
            )
        where = f"{languages} languages by {MODEL_CONFIG}"
        read = [folder / MODEL_CONFIG]
    texts = [_END, "<|startoftranscript|>", *[f"<|{code}|>" for code in known[:languages]]]
    texts += ["<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>"]
    texts += ["<|nospeech|>", "<|notimestamps|>"]
    texts += [f"<|{number * 0.02:.2f}|>" for number in range(_TIMES)]
    return TiktokenFamily(f"Whisper ({where})", "gpt2", _numbered(texts, entries), read)


def _qwen(folder: Path, read: list[Path]) -> TiktokenFamily:
    """Returns the first Qwen's; its model of pictures has nine tokens more."""
    model = _object(folder / MODEL_CONFIG)
    title = "Qwen, the first generation"
    texts = [_END, "<|im_start|>", "<|im_end|>"]
    texts += [f"<|extra_{number}|>" for number in range(_QWEN_EXTRAS)]
    if "audio" in model:
        raise FormatError(
            f"{MODEL_CONFIG} beside {QWEN_FILE} is that of Qwen-Audio, whose tokens for sounds this program does not know."
            " To use it without them, open a copy of the file in a folder of its own."
        )
    if "visual" in model:
        texts += _QWEN_PICTURES.split()
        title = "Qwen-VL: the path of a picture between <img> and </img> is text here"
    if model:
        read = [*read, folder / MODEL_CONFIG]
    return TiktokenFamily(title, "qwen2", _numbered(texts, _QWEN_FIRST), read, composed=True)


def _kimi(added: dict[str, int], entries: int, read: list[Path]) -> TiktokenFamily:
    """Returns Kimi's: each id after the entries is reserved, unless the settings name it."""
    names = {id: text for text, id in added.items() if id >= entries}
    count = max([entries + _KIMI_RESERVED, *[id + 1 for id in names]])
    if count > entries + 2 * _KIMI_RESERVED:
        raise FormatError(
            f"{CONFIG} names a token with the id {count - 1}, and Kimi's are the {_KIMI_RESERVED} after its {entries:,} entries."
            " Correct it."
        )
    special = {names.get(id, f"<|reserved_token_{id}|>"): id for id in range(entries, count)}
    return TiktokenFamily(f"Kimi (TikTokenTokenizer in {CONFIG})", _KIMI, special, read)


def _llama(
    title: str,
    pattern: str,
    names: list[str],
    added: dict[str, int],
    entries: int,
    read: list[Path],
) -> TiktokenFamily:
    """Returns a family that is known by its hash: with the tokens of the settings beside it, else those of its code."""
    if added:
        where = f"special tokens of {CONFIG}"
        return TiktokenFamily(f"{title} (by its SHA-256; {where})", pattern, added, read)
    where = "special tokens as in llama-models"
    if title == "Llama 3":
        where += ", which the first Llama 3 calls reserved"
    special = _numbered(names, entries)
    return TiktokenFamily(f"{title} (by its SHA-256; {where})", pattern, special, [])


def _llama3_names() -> list[str]:
    names = _LLAMA.split()
    return names + _reserved("", _LLAMA_TOKENS - len(names), 2)


def _llama4_names() -> list[str]:
    names = _LLAMA4_BEFORE.split() + _reserved("text_post_train_", 6)
    names += _LLAMA4_TOOLS.split() + _reserved("text_post_train_", 61, 8)
    names += _LLAMA4_PICTURES.split() + _reserved("vision_", 1041, 7)
    names += _reserved("reasoning_", 8) + _LLAMA4_REASONING.split()
    return names + _reserved("", _LLAMA4_TOKENS - len(names))


def _reserved(group: str, count: int, first: int = 0) -> list[str]:
    return [f"<|{group}reserved_special_token_{first + index}|>" for index in range(count)]


def _numbered(texts: list[str], first: int) -> dict[str, int]:
    return {text: first + index for index, text in enumerate(texts)}


def _added(config: dict[str, object]) -> dict[str, int]:
    """Returns the tokens of ``added_tokens_decoder`` by their texts."""
    stored = config.get("added_tokens_decoder", {})
    added: dict[str, int] = {}
    if not isinstance(stored, dict):
        raise FormatError(
            f"{CONFIG}: added_tokens_decoder is not an object of tokens by their ids."
        )
    for number, token in stored.items():
        content = token.get("content") if isinstance(token, dict) else None
        if (
            not isinstance(content, str)
            or not content
            or not number.isascii()
            or not number.isdecimal()
            or len(number) > 7
            or int(number) >= _LARGEST_ID
        ):
            raise FormatError(
                f"{CONFIG}: added_tokens_decoder has {number[:40]!r}, which is not the id of a token with a text."
            )
        for option in ("lstrip", "rstrip", "single_word"):
            if token.get(option):
                raise FormatError(
                    f"{CONFIG}: the token {content!r} has the option {option}, which the special tokens of such files do not"
                    " have. Set it to false."
                )
        if content in added:
            raise FormatError(f"{CONFIG}: added_tokens_decoder has {content!r} twice.")
        added[content] = int(number)
    return added


def _object(path: Path) -> dict[str, object]:
    """Returns the fields of a file; none if there is no such file."""
    if not path.is_file():
        return {}
    fields = whole_json(content_of(path), path.name)
    if not isinstance(fields, dict):
        raise FormatError(f"{path.name} is not an object of settings.")
    return fields
