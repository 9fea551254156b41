"""The findings about a tokenizer as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from tokenarium.models.diagnosis.diagnosis import Diagnosis


def as_text(name: str, findings: Sequence[Diagnosis]) -> str:
    """Returns what was found, with the first cases and how it was found."""
    parts = [f"Diagnostics of {name}\n"]
    for one in findings:
        lines = [f"{one.title} ({one.severity.value})", one.sentence, f"How: {one.method}"]
        for case in one.evidence:
            where = f"id {case.token}: " if case.token >= 0 else ""
            text = f"{json.dumps(case.text, ensure_ascii=False)} " if case.text is not None else ""
            lines.append(f"  {where}{text}{case.note}")
        if one.count > len(one.evidence):
            lines.append(f"  … and {one.count - len(one.evidence):,} more")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def as_json(name: str, findings: Sequence[Diagnosis]) -> str:
    """Returns the same as JSON, with the ids of all entries that each finding is about."""
    found = [{**asdict(one), "severity": one.severity.value} for one in findings]
    return json.dumps({"tokenizer": name, "findings": found}, ensure_ascii=False, indent=1) + "\n"
