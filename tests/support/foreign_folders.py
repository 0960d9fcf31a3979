"""What a stranger may do to the folder of a report: links, pipes, forged lists, files that are none."""

import contextlib
import hashlib
import json
import os
import shutil
import sys

from theorytools.claims.judging.content_digest import sealed

SECRET = "nobody-may-read-this"
SCRIPT = "<script>attack()</script>"
LISTS = ("manifest.json", "written.json", "times.json", "rendered")
ODD = {  # texts that are no JSON, or JSON of another kind
    "empty": "", "a list": "[3]", "deep": "[" * 100_000, "half": '{"schema": "theory', "NaN": '{"files": NaN}',
    "twice": '{"files": {}, "files": {"../victim/thesis.html": "0"}, "schema": "theorytools.site/1"}', "null": "null",
    "a number": '{"schema": 1, "files": 1e400, "origin": -1}', "bytes": "\udcff\0",
    "keys": '{"schema": "theorytools.site/1", "files": {"": 1, "\\u0000": {}}, "origin": {"checks": "\\u0000"}}',
}  # fmt: skip


def digest(data):
    return hashlib.sha256(data).hexdigest()


def in_place(path, make):
    """Make something in the place of what lies there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)


def anywhere(site, rng):
    return rng.choice(sorted(path for path in site.rglob("*") if "mine" not in path.name))


def forged_names(site, victim, rng):
    inside = [path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()]
    outside = [f"../victim/{path.name}" for path in victim.iterdir()] + [str(path) for path in victim.iterdir()]
    odd = ["..", "/", "a/../../victim/thesis.html", "sections/../../victim/thesis.html", "INDEX.HTML",
           "a\0.html", "Sections/../x.html", "x" * 5000 + ".html", "verdicts/../mine.html",
           "qstr\\..\\x.html", ".git/x.html"]  # fmt: skip
    return rng.sample([*inside, *outside, *odd], k=12)


def forge_list(site, victim, rng):
    """Lines of a list, each with the digest of what lies there, under the schema of the list."""
    name = rng.choice(LISTS[:2])
    lines = {}
    for line in forged_names(site, victim, rng):
        line = line.removeprefix("verdicts/") if name == "written.json" else line
        place = site / ("verdicts" if name == "written.json" else "") / line
        with contextlib.suppress(OSError, ValueError):
            lines[line] = digest(place.read_bytes())
        lines.setdefault(line, "0" * 64)
    data = {"schema": "theorytools.site/1", "version": "\x1b[2J", "origin": {"papers": "all"}, "files": lines}
    in_place(site / name, lambda path: path.write_text(json.dumps(data), "utf-8"))


def odd_text(site, victim, rng):
    name = rng.choice([*LISTS, "verdicts/tiny.holds.json", "verdicts/tiny.\x1b[2J.json"])
    text = rng.choice(sorted(ODD.values()))
    in_place(site / name, lambda path: path.write_bytes(text.encode("utf-8", "surrogateescape")))


def look_elsewhere(site, victim, rng):
    """A stamp that says what is rendered, and names folders to be looked through."""
    data = {"roots": [str(victim), "/proc/self", "\0"], "state": "0" * 64, "seal": "0" * 64}
    in_place(site / "rendered", lambda path: path.write_text(json.dumps(data), "utf-8"))


def link(site, victim, rng):
    target = rng.choice([victim, victim / "thesis.html", victim / "tiny.holds.json", "/dev/zero", "../victim", "loop"])
    in_place(anywhere(site, rng), lambda path: path.symlink_to(target))


def hard_link(site, victim, rng):
    in_place(anywhere(site, rng), lambda path: path.hardlink_to(victim / "thesis.html"))


def pipe(site, victim, rng):
    in_place(anywhere(site, rng), os.mkfifo)


def folder(site, victim, rng):
    in_place(anywhere(site, rng), lambda path: (path / "in the way").mkdir(parents=True))


def section(site, victim, rng):
    """A kept part of a page with a script in it, under the digest that anybody can compute."""
    found = sorted((site / "sections").glob("*.json")) if (site / "sections").is_dir() else []
    for path in found:
        if path.is_file() and not path.is_symlink():
            value = json.dumps({"html": SCRIPT, "body": SCRIPT})
            known = digest(f"{path.stem} {value}".encode())
            path.unlink()
            path.write_text(f'{{"digest":"{known}","value":{value}}}\n', "utf-8")


def page(site, victim, rng):
    pages = [path for path in site.rglob("*.html") if path.is_file() and not path.is_symlink()]
    for path in rng.sample(pages, k=min(3, len(pages))):
        path.unlink()
        path.write_text(SCRIPT, "utf-8")


def verdict(site, victim, rng):
    """A verdict with one field replaced, under a digest of its own."""
    path = site / "verdicts" / "tiny.holds.json"
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        if path.is_symlink() or not path.is_file():
            return
        data = json.loads(path.read_text("utf-8"))
        name = rng.choice(sorted(data))
        data[name] = rng.choice([None, 7, -1.5, True, "", "../../victim/thesis", "\x1b[2J", [], {}, [{}], "x" * 10_000])
        path.unlink()
        path.write_text(json.dumps(sealed(data)), "utf-8")


KINDS = (forge_list, odd_text, look_elsewhere, link, hard_link, pipe, folder, section, page, verdict)


def users_files(site):
    """Files of the user's in a report folder, by place: notes, copies, verdicts of a paper that is not here."""
    names = ["mine.txt", "notes/mine.html", "verdicts/mine.md", "verdicts/tiny.holds.mine.before.json",
             *(f"verdicts/mine.x{k}.json" for k in range(5)), "tiny/mine.html", "sections/mine.json"]  # fmt: skip
    for name in names:
        with contextlib.suppress(OSError):
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(f"{name} is mine", "utf-8")
    return {site / name: f"{name} is mine".encode() for name in names}


OPENED = []  # what is opened below a watched folder, while one is watched
_WATCHED = []


def _hook(event, arguments):
    if _WATCHED and event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], str | os.PathLike):
        with contextlib.suppress(OSError, ValueError):
            found = os.path.realpath(arguments[0])
            if found.startswith(_WATCHED[0]):
                OPENED.append((event, found))


@contextlib.contextmanager
def watched(place):
    """Collect in ``OPENED`` what is opened in a folder, by whatever name."""
    if not getattr(_hook, "set", False):
        sys.addaudithook(_hook)
        _hook.set = True
    OPENED.clear()
    _WATCHED.append(os.path.realpath(place))
    try:
        yield OPENED
    finally:
        _WATCHED.clear()
