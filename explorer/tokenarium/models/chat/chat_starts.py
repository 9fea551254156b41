"""Chat templates to start from, where a tokenizer brings none: three shapes that many models share.

The markers are those that the models' own documentation names; each template writes one message behind the
other, so that the parts of the roles are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from tokenarium.models.chat.chat_template import ChatTemplate

_CHATML: Final = """\
{% for message in messages %}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %}
"""

_HEADERS: Final = """\
{{ bos_token }}
{%- for message in messages %}
<|start_header_id|>{{ message.role }}<|end_header_id|>

{{ message.content | trim }}<|eot_id|>
{%- endfor %}
{%- if add_generation_prompt %}
<|start_header_id|>assistant<|end_header_id|>

{% endif %}
"""

_TURNS: Final = """\
{{ bos_token }}
{%- for message in messages %}
    {%- set follows = loop.previtem is defined and loop.previtem.role == 'system' %}
    {#- There is no turn of the system: it opens the turn of the user. -#}
    {%- if not (follows and message.role == 'user') %}
        {{- '<start_of_turn>' }}
        {{- {'assistant': 'model', 'system': 'user'}.get(message.role, message.role) ~ '\\n' }}
    {%- endif %}
    {{- message.content | trim }}
    {{- '\\n\\n' if message.role == 'system' else '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<start_of_turn>model\\n' }}
{%- endif %}
"""


class Start(NamedTuple):
    """A template to start from; ``markers`` are the special tokens that it writes."""

    title: str
    source: str
    tokens: dict[str, str]
    markers: tuple[str, ...]

    def template(self) -> ChatTemplate:
        """Returns it as a template."""
        return ChatTemplate(self.title, self.source, self.tokens)


STARTS: Final = (
    Start("ChatML", _CHATML, {}, ("<|im_start|>", "<|im_end|>")),
    Start(
        "Headers, as Llama 3",
        _HEADERS,
        {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"},
        ("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    ),
    Start(
        "Turns, as Gemma",
        _TURNS,
        {"bos_token": "<bos>", "eos_token": "<eos>"},
        ("<start_of_turn>", "<end_of_turn>"),
    ),
)


def best_start(knows: Callable[[str], bool]) -> int:
    """Returns the place of the start whose markers a tokenizer knows, 0 where it knows none of them."""
    known = (place for place, start in enumerate(STARTS) if all(map(knows, start.markers)))
    return next(known, 0)
