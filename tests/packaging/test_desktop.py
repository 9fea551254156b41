"""What a Linux desktop knows of the app: menu entry, types of files, scheme, icons, and what stores show."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

import desktop_files
import icons
import system_needs
import system_packages
from project import ROOT, settings
from tokenarium.pictures.app_icons import SIDES, document_svg, mark_svg, png_of
from tokenarium.resources import shipped_tokenizers

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="Linux alone has such desktops and their tools"
)
CHANGELOG = "## [Unreleased]: 0.2.0\n\n## [0.1.0] - 2026-05-04\n"
HOST = "https://github.com/some-one/tokenarium"


@pytest.fixture(scope="session")
def tools() -> None:
    """The programs that check such files, which the test command installs; only a system without apt may lack them."""
    missing = " ".join(system_needs.missing_test_tools())
    if missing and not system_packages.is_debian():
        pytest.skip(f"needs {missing}")
    assert not missing, f"These are missing. Type: apt-get install {missing}"


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder such as /usr/share, with our files in it."""
    folder = tmp_path_factory.mktemp("desktop") / "share"
    desktop_files.write(folder)
    return folder


def run(
    *command: str | Path, share: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    if share is not None:
        variables |= {"XDG_DATA_DIRS": f"{share}:/usr/share", "XDG_DATA_HOME": str(share / "none")}
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )


def test_the_menu_entry_is_valid(share: Path, tools: None) -> None:
    checked = run("desktop-file-validate", "--no-hints", share / "applications/tokenarium.desktop")
    assert (checked.returncode, checked.stdout) == (0, "")


def test_the_menu_entry_opens_what_the_types_name(share: Path) -> None:
    entry = (share / "applications/tokenarium.desktop").read_text("utf-8")
    lines = dict(line.split("=", 1) for line in entry.splitlines() if "=" in line)
    types = lines["MimeType"].rstrip(";").split(";")
    declared = (share / "mime/packages/tokenarium.xml").read_text("utf-8")
    assert [one for one in types if one.startswith("application/")] == [
        line.split('"')[1] for line in declared.splitlines() if "<mime-type" in line
    ]
    assert "x-scheme-handler/tokenarium" in types
    metainfo = (share / "metainfo/tokenarium.metainfo.xml").read_text("utf-8")
    assert all(f"<mediatype>{one}</mediatype>" in metainfo for one in types)
    assert "\nExec=tokenarium %U\n" in entry
    assert "\nExec=tokenarium --new-window\n" in entry


def validated(text: str, folder: Path) -> tuple[int, dict[str, list[str]]]:
    """Returns the exit code of the validation, and its findings by their weight."""
    path = folder / "tokenarium.metainfo.xml"
    path.write_text(text, encoding="utf-8")
    checked = run("appstreamcli", "validate", "--no-net", "--format=yaml", path)
    found: dict[str, list[str]] = {}
    tag = ""
    for line in checked.stdout.splitlines():
        name, _, value = line.strip().removeprefix("- ").partition(": ")
        if name == "tag":
            tag = value.strip("'\"")
        elif name == "severity":
            found.setdefault(value.strip("'\""), []).append(tag)
    return checked.returncode, found


def test_the_description_for_stores_is_valid(tmp_path: Path, tools: None) -> None:
    urls = {"Repository": HOST, "Issues": f"{HOST}/issues", "Documentation": "https://example.org"}
    made = desktop_files.metainfo(urls, CHANGELOG, today="2026-06-01")
    code, found = validated(made.text, tmp_path)
    assert code == 0, found
    assert not {"error", "warning"} & set(found)
    assert made.left_out == []
    assert "<id>io.github.some_one.tokenarium</id>" in made.text
    assert '<release version="0.2.0" type="development" date="2026-06-01" />' in made.text
    assert '<release version="0.1.0" type="stable" date="2026-05-04" />' in made.text
    names = [name for name, _ in desktop_files.SCREENSHOTS]
    assert all(
        f"/some-one/tokenarium/HEAD/resources/screenshots/{name}<" in made.text for name in names
    )
    assert all((ROOT / "resources" / "screenshots" / name).exists() for name in names)


def test_without_an_address_the_description_says_what_it_lacks(tmp_path: Path, tools: None) -> None:
    made = desktop_files.metainfo({}, CHANGELOG, today="2026-06-01")
    _, found = validated(made.text, tmp_path)
    assert found.get("warning", []) == ["cid-desktopapp-is-not-rdns"]
    assert "error" not in found
    assert "http" not in made.text
    assert len(made.left_out) == 6


def test_the_description_has_the_versions_of_the_changelog() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    urls = settings()["project"].get("urls", {})
    text = desktop_files.metainfo(urls, changelog).text
    versions = desktop_files.releases(changelog)
    assert versions
    assert all(f'version="{version}"' in text for version, _ in versions)
    from tokenarium_core import __version__

    assert versions[0][0] == __version__


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, str]:
    """Files with the types that they are to have."""
    folder = tmp_path_factory.mktemp("samples")
    shipped = Path(shipped_tokenizers.__file__).parent / "tokenizers"

    def copied(source: str, name: str) -> Path:
        return Path(shutil.copy(shipped / source, folder / name))

    session = folder / "talk.tokenarium"
    session.write_text(json.dumps({"tokenarium": 1}))
    tekken = folder / "tekken.json"
    tekken.write_text('{"config": {}, "vocab": []}')
    other = folder / "other.json"
    other.write_text("{}")
    weights = folder / "weights"
    weights.write_bytes(b"\x80\x02}q\x00X" + bytes(range(200)))
    return {
        session: "application/x-tokenarium-session",
        copied("bpe-gpt2-8k.tiktoken", "gpt2.tiktoken"): "application/x-tiktoken",
        copied("unigram-8k.model", "spiece.model"): "application/x-sentencepiece-model",
        copied("unigram-8k.model", "no name of one"): "application/x-sentencepiece-model",
        copied("sentencepiece-bpe-8k.model", "bpe"): "application/x-sentencepiece-model",
        copied("tokenarium-8k.json", "tokenizer.json"): "application/x-tokenizer+json",
        tekken: "application/x-tekken+json",
        other: "application/json",
        weights: "application/octet-stream",
    }


@pytest.fixture(scope="module")
def database(share: Path, tools: None) -> Path:
    """The folder with the types read into the database of types."""
    shutil.copy("/usr/share/mime/packages/freedesktop.org.xml", share / "mime" / "packages")
    made = run("update-mime-database", share / "mime", share=share)
    assert made.returncode == 0, made.stderr
    assert "tokenarium" not in made.stderr.replace(str(share), "")
    return share


@pytest.mark.slow
def test_desktops_know_the_types_of_files(database: Path, samples: dict[Path, str]) -> None:
    said = run("gio", "info", "-a", "standard::content-type", *samples, share=database)
    types = [
        line.split(": ")[1] for line in said.stdout.splitlines() if "standard::content-type" in line
    ]
    assert dict(zip(samples, types, strict=True)) == samples


def test_xdg_mime_knows_the_types_of_files(database: Path, samples: dict[Path, str]) -> None:
    path = next(path for path in samples if path.suffix == ".tiktoken")
    found = run("xdg-mime", "query", "filetype", path, share=database, XDG_CURRENT_DESKTOP="GNOME")
    assert found.stdout.strip() == samples[path], found.stderr


def test_every_icon_is_as_large_as_it_says_and_has_a_clear_ground(share: Path) -> None:
    theme = share / "icons" / "hicolor"
    for side in SIDES:
        for name in ("apps/tokenarium", "mimetypes/tokenarium-document"):
            with Image.open(theme / f"{side}x{side}" / f"{name}.png") as picture:
                assert picture.size == (side, side)
                alpha = picture.convert("RGBA").getchannel("A")
                assert alpha.getpixel((0, 0)) == 0
                assert alpha.getpixel((side // 2, side // 2)) == 255
    assert (theme / "scalable/apps/tokenarium.svg").read_text("utf-8") == mark_svg(512)


@pytest.mark.slow
def test_icons_of_other_systems_have_all_sizes(tmp_path: Path) -> None:
    icons.write(tmp_path)
    for name in ("tokenarium", "tokenarium-document"):
        with Image.open(tmp_path / f"{name}.ico") as ico:
            assert {side for side, _ in ico.info["sizes"]} == set(icons.ICO_SIDES)
        with Image.open(tmp_path / f"{name}.icns") as icns:
            sizes = {width * scale for width, _, scale in icns.info["sizes"]}
            assert set(icons.ICNS_SIDES) - {16} <= sizes


def test_a_document_is_the_mark_on_a_page() -> None:
    with Image.open(io.BytesIO(png_of(document_svg(128), 128))) as picture:
        page = picture.convert("RGB")
        assert page.getpixel((64, 40)) == (255, 255, 255)
        assert page.getpixel((40, 80)) == (0x24, 0x49, 0xD8)
