"""The evaluation report as a page to read and to print: HTML without scripts, which Qt's documents read as well."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tokenarium.models.release.evaluation_report import RANK, EvaluationReport, ReportComparison
from tokenarium.models.release.release_limits import ReleaseVerdict
from tokenarium.models.text.piece import percent

if TYPE_CHECKING:
    from jinja2 import Template

MOST_ROWS: Final = 200
"""Files and languages that have a row on the page; JSON has all."""

MOST_WORSE: Final = 40
"""Figures that became worse and have a line on the page."""

COLOURS: Final = {
    ReleaseVerdict.PASS: "#12703F",
    ReleaseVerdict.LOOK: "#8A5A00",
    ReleaseVerdict.FAIL: "#B3261E",
    ReleaseVerdict.UNKNOWN: "#565A64",
}

# Qt's documents know tables by their attributes, not by the style sheet alone.
_PAGE: Final = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Evaluation of {{ report.name }}</title>
<style>
body { font-family: Inter, sans-serif; font-variant-ligatures: none; font-size: 10pt; color: #16181D; max-width: 60em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 18pt; margin-bottom: 2pt; }
h2 { font-size: 13pt; margin-top: 18pt; margin-bottom: 4pt; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; }
th, td { padding-left: 6px; padding-right: 6px; padding-top: 3px; padding-bottom: 3px; vertical-align: top; }
.line td { border-top: 1px solid #E2E0D9; }
.n { text-align: right; }
.dim { color: #565A64; }
code { font-family: "JetBrains Mono", monospace; font-size: 9pt; }
{% for verdict, colour in colours.items() -%}
.{{ verdict.name | lower }} { color: {{ colour }}; font-weight: 600; }
{% endfor -%}
tr { page-break-inside: avoid; }
</style>
</head>
<body>
<h1>{{ report.name }}: <span class="{{ report.verdict.name | lower }}">{{ report.verdict.words }}</span></h1>
<p>{{ report.summary }}.</p>
<p class="dim">{{ "{:,}".format(report.tokenizer.entries) }} entries, {{ report.tokenizer.format or "no file" }}.
Measured on {{ report.corpus.name }} ({{ "{:,}".format(report.corpus.texts) }} texts, {{ "{:,}".format(report.corpus.bytes) }} bytes) and on
{{ report.corpus.languages }}, {{ report.made }}, with Tokenarium {{ report.version }}.</p>
{% for file in report.tokenizer.files -%}
<p class="dim">SHA-256 of {{ file.name }}: <code>{{ file.sha256 }}</code></p>
{% endfor -%}
{% if old %}
<h2>Since {{ old.name }}</h2>
{% for note in old.notes %}<p>{{ note }}</p>{% endfor %}
<p>{{ old.worse | length }} became worse, {{ old.better | length }} better.</p>
{% if old.worse %}<ul>{% for one in old.worse[:worse] %}<li>{{ one.sentence }}</li>{% endfor %}</ul>{% endif %}
{% if old.worse | length > worse %}<p class="dim">And {{ old.worse | length - worse }} more: tokenarium evaluate --against lists them all.</p>{% endif %}
{% endif %}
{% for verdict in verdicts -%}
{% set found = report.checks | selectattr("verdict", "equalto", verdict) | list -%}
{% if found %}
<h2><span class="{{ verdict.name | lower }}">{{ verdict.words | capitalize }}</span> ({{ found | length }})</h2>
<table width="100%" cellspacing="0" cellpadding="4">
<tr><th width="45%">Check</th><th class="n" align="right" width="22%">Figure</th><th width="33%">Threshold</th></tr>
{% for one in found -%}
<tr class="line"><td>{{ one.check.title }}</td><td class="n" align="right">{{ one.shown }}</td><td>{{ one.rule }}</td></tr>
<tr><td colspan="3" class="dim">
{%- if one.note %}{{ one.note }}{% else %}{{ one.check.about }}{% endif -%}
{%- if verdict in (look, fail) %}<br>{{ one.check.do }}{% for case in one.cases[:3] %}<br>· {{ case }}{% endfor %}{% endif -%}
</td></tr>
{% endfor -%}
</table>
{% endif -%}
{% endfor -%}
{% for title, rows in (("By text", report.files), ("By language", report.languages)) -%}
{% if rows %}
<h2>{{ title }}</h2>
<table width="100%" cellspacing="0" cellpadding="4">
<tr><th>{{ "Text" if title == "By text" else "Language" }}</th><th class="n" align="right">Tokens</th><th class="n" align="right">Bytes / token</th><th class="n" align="right">Fertility in context</th><th class="n" align="right">Alone</th>
{%- if title == "By language" %}<th class="n" align="right">× English</th>{% endif %}<th class="n" align="right">Unknown</th><th>Comes back</th></tr>
{% for row in rows[:most] -%}
<tr class="line"><td>{{ row.name }}</td><td class="n" align="right">{{ "{:,}".format(row.tokens) }}</td><td class="n" align="right">{{ number(row.bytes_per_token) }}</td><td class="n" align="right">{{ number(row.fertility) }}</td><td class="n" align="right">{{ number(row.fertility_alone) }}</td>
{%- if title == "By language" %}<td class="n" align="right">{{ number(row.premium) }}</td>{% endif %}<td class="n" align="right">{{ share((row.unknown or 0) / 100) }}</td><td>{{ "yes" if row.round_trip else "no" }}</td></tr>
{% endfor -%}
</table>
{% if rows | length > most %}<p class="dim">And {{ "{:,}".format(rows | length - most) }} more, in the JSON.</p>{% endif %}
{% endif -%}
{% endfor -%}
<h2>Entries by script</h2>
<table width="100%" cellspacing="0" cellpadding="4">
<tr><th>Script</th><th class="n" align="right">Entries</th><th class="n" align="right">Share</th><th class="n" align="right">Mean bytes</th><th class="n" align="right">Tokens of the texts</th><th class="n" align="right">Bytes / token there</th></tr>
{% for row in report.scripts -%}
<tr class="line"><td>{{ row.script }}</td><td class="n" align="right">{{ "{:,}".format(row.entries) }}</td><td class="n" align="right">{{ share(row.share) }}</td><td class="n" align="right">{{ number(row.mean_bytes) }}</td><td class="n" align="right">{{ "{:,}".format(row.tokens) }}</td><td class="n" align="right">{{ number(row.bytes_per_token) }}</td></tr>
{% endfor -%}
</table>
<h2>Numbers and white space</h2>
<table width="100%" cellspacing="0" cellpadding="4">
{% for row in report.numbers -%}
<tr class="line"><td>{{ row.text }}</td><td class="n" align="right">{{ row.tokens | length }}</td><td><code>{{ row.tokens | join(" | ") }}</code></td></tr>
{% endfor -%}
{% for row in report.spaces -%}
<tr class="line"><td>{{ row.text }} at the beginning of a line</td><td class="n" align="right">{{ row.tokens | length }}</td><td><code>{{ row.tokens | join(" | ") }}</code></td></tr>
{% endfor -%}
</table>
{% if report.notes %}
<h2>Not read</h2>
<ul>{% for note in report.notes %}<li>{{ note }}</li>{% endfor %}</ul>
{% endif %}
</body>
</html>
"""


@lru_cache(maxsize=1)
def _template() -> Template:
    from jinja2 import Environment

    return Environment(autoescape=True, trim_blocks=False).from_string(_PAGE)


def evaluation_page(report: EvaluationReport, old: ReportComparison | None = None) -> str:
    """Returns the page of a report, with what changed since an older one if there is one."""
    return _template().render(
        report=report,
        old=old,
        verdicts=RANK,
        look=ReleaseVerdict.LOOK,
        fail=ReleaseVerdict.FAIL,
        colours=COLOURS,
        most=MOST_ROWS,
        worse=MOST_WORSE,
        number=lambda value: "–" if value is None else f"{value:,.2f}",
        share=percent,
    )
