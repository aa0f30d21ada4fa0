"""Random edits of a PyTorch-shaped tree, as hypothesis strategies and functions that carry them out."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from hypothesis import strategies as st

_NAME = re.compile(r"\b([A-Za-z_]\w{3,})\s*\(")
_KINDS = (
    "line", "cut", "copy line", "delete", "rename", "touch", "function", "overload", "replace",
    "revert", "python", "class", "macro", "using", "yaml", "link", "rename word", "new folder",
    "halve", "suffix", "move", "paragraph",
)  # fmt: skip

EDITS = st.lists(
    st.tuples(st.sampled_from(_KINDS), st.integers(0, 999), st.integers(0, 9999)),
    min_size=1, max_size=4,
)  # fmt: skip
"""What is done between two updates: the kind of edit, which file, and a number that it is made of."""

_CPP = (".cpp", ".h", ".cu", ".cuh", ".mm")
_YAML = ("native_functions.yaml", "derivatives.yaml", "tags.yaml")


def apply(tree: Path, pristine: Path, edit: tuple[str, int, int]) -> None:
    """Carry out an edit.

    Args:
        tree: that is edited.
        pristine: the tree as it was.
        edit: from `EDITS`.
    """
    kind, which, number = edit
    files = sorted(p for p in tree.rglob("*") if p.is_file() and not p.is_symlink())
    plain = [p for p in files if p.name not in _YAML]
    cpp = [p for p in plain if p.suffix in _CPP] or plain
    python = [p for p in plain if p.suffix == ".py"] or plain
    path = plain[which % len(plain)]
    if kind == "line":
        _edit_lines(path, lambda lines: lines.insert(number % (len(lines) + 1), ""))
    elif kind == "cut":
        _edit_lines(path, lambda lines: lines.pop(number % len(lines)) if lines else None)
    elif kind == "copy line":
        _edit_lines(path, lambda lines: lines and lines.append(lines[number % len(lines)]))
    elif kind == "delete":
        path.unlink()
    elif kind == "rename":
        path.rename(path.with_name(f"{'az'[number % 2]}{number}_{path.name}"))
    elif kind == "touch":
        os.utime(path)
    elif kind == "function":
        name = _name(files, number)
        body = (
            f"return {name}(a);", f"using fresh = {name}; return fresh(a);", f"return fresh(&{name});",
            f"using namespace at::native; using at::{name}; return {name}(a);",
        )[number // 5 % 4]  # fmt: skip
        _append(
            cpp[which % len(cpp)],
            f"namespace at::native {{ int fresh_{number % 5}(int a) {{ {body} }} }}\n",
        )
    elif kind == "overload":
        name = _name(cpp, number)
        _append(
            cpp[which % len(cpp)], f"namespace at::native {{ void {name}(int a, int b) {{}} }}\n"
        )
    elif kind == "replace":
        path.write_bytes(plain[number % len(plain)].read_bytes())
    elif kind == "revert":
        shutil.rmtree(tree)
        shutil.copytree(pristine, tree)
    elif kind == "python":
        name = _name(python, number)
        _append(python[which % len(python)],
                f"\n\ndef fresh_{number % 5}(x):\n    return {name}(x)\n\n\n"
                f"class Fresh{number % 3}(Module):\n    def test_it(self):\n        {name}(1)\n")  # fmt: skip
    elif kind == "class":
        _append(cpp[which % len(cpp)], f"struct Fresh{number % 3} {{ void {_name(cpp, number)}(int);\n"
                f"  std::vector<Fresh{number // 3 % 3}*> held_; }};\n"
                f"void Fresh{number % 3}::run() {{ {_name(cpp, number + 1)}(1); held_[0]->run(); }}\n")  # fmt: skip
    elif kind == "macro":
        _append(cpp[which % len(cpp)], f"#define FRESH_{number % 2}(n) void n##_made(int a) {{ {_name(cpp, number)}(a); }}\n"
                f"FRESH_{number % 2}({_name(cpp, number)})\n")  # fmt: skip
    elif kind == "using":
        _append(
            cpp[which % len(cpp)],
            f"namespace at {{ using fresh_{number % 3} = {_name(cpp, number)}; }}\n",
        )
    elif kind == "yaml":
        yaml = [p for p in files if p.name in _YAML]
        if yaml:
            _edit_yaml(yaml[which % len(yaml)], number)
    elif kind == "link":
        link = path.with_name(f"link{number % 3}{path.suffix}")
        if not link.exists() and not link.is_symlink():
            link.symlink_to("/etc/hostname" if number % 2 else path)
    elif kind == "rename word":
        name, other = _name(cpp, number), _name(cpp, number // 7)
        text = path.read_text(encoding="utf-8", errors="replace")
        path.write_text(re.sub(rf"\b{name}\b", other, text), encoding="utf-8")
    elif kind == "new folder":
        folder = tree / ("aaa" if number % 2 else "torch") / f"fresh{number % 4}"
        folder.mkdir(parents=True, exist_ok=True)
        for source in (path, cpp[number % len(cpp)], python[number % len(python)]):
            (folder / source.name).write_bytes(source.read_bytes())
    elif kind == "halve":
        data = path.read_bytes()
        path.write_bytes(data[: len(data) * (number % 9 + 1) // 10])
    elif kind in ("suffix", "move"):
        # In its place another kind of file; or the same elsewhere.
        other = path.with_name(path.name + _CPP[number % len(_CPP)])
        moved = files[number % len(files)].with_name(path.name)
        target = other if kind == "suffix" else moved
        if not target.exists():
            path.rename(target)
    elif kind == "paragraph":
        alike = [p for p in plain if p.suffix == path.suffix]
        text = path.read_bytes().split(b"\n\n")
        piece = text.pop(number % len(text))
        path.write_bytes(b"\n\n".join(text))
        target = alike[number % len(alike)]
        target.write_bytes(target.read_bytes() + b"\n\n" + piece + b"\n")


def _edit_lines(path: Path, edit: object) -> None:
    lines = path.read_bytes().split(b"\n")
    text = [line.decode("utf-8", "surrogateescape") for line in lines]
    edit(text)  # type: ignore[operator]
    path.write_bytes("\n".join(text).encode("utf-8", "surrogateescape"))


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def _name(files: list[Path], number: int) -> str:
    """Some function's name of the tree."""
    text = files[number % len(files)].read_text(encoding="utf-8", errors="replace")
    names = sorted(set(_NAME.findall(text)))
    return names[number % len(names)] if names else "add_stub"


def _edit_yaml(path: Path, number: int) -> None:
    """Change an entry so that the file can still be read."""
    text = path.read_text(encoding="utf-8")
    entries = re.split(r"(?m)^(?=- )", text)
    at = number % len(entries)
    if at and number % 3 == 0:
        entries.pop(at)
    elif number % 3 == 1:
        entries[at] = f"# a comment\n{entries[at]}"
    else:
        entries[at] = re.sub(
            r"(: \w+)_(\w+)$", r"\1_fresh_\2", entries[at], count=1, flags=re.MULTILINE
        )
    path.write_text("".join(entries), encoding="utf-8")
