"""A source tree that does everything to keep an indexer from finishing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

DEEP = 10_000
AWKWARD = "a tree 'of' \"test\"\n files; test_x $(x)"
"""A folder's name: spaces, quotes, a line feed, a shell's signs, and what tests are called."""


def hostile_tree(fixture: Path, root: Path) -> Path:
    """The embedded tree with all that is hostile in it.

    Args:
        fixture: that tree.
        root: made; must not exist.
    """
    shutil.copytree(fixture, root)
    native = root / "aten/src/ATen/native"
    bad = root / "torch" / "bad"
    bad.mkdir()
    # Bytes that are no text.
    (native / "latin.cpp").write_bytes(b"// caf\xe9\nvoid latin_one() { good_call(); }\n")
    (bad / "latin.py").write_bytes(b"# caf\xe9\nx = '\xff\xfe'\n")
    (native / "nul.cpp").write_bytes(b"void a\0b() {\0 c(); }\n" * 50)
    (bad / "nul.py").write_bytes(b"x = 1\0\n")
    (native / "utf16.h").write_bytes("void f() {}\n".encode("utf-16"))
    (bad / "random.py").write_bytes(bytes(range(256)) * 400)
    (native / "random.cu").write_bytes(bytes(range(256)) * 400)
    # Too much of it.
    with (native / "huge.cpp").open("wb") as file:
        file.write(b"int x;\n")
        file.truncate(50_000_000)
    (native / "line.cpp").write_bytes(b"void f() { " + b"g(1, 2); " * 100_000 + b"}\n")
    (native / "line.metal").write_bytes(b"kernel void k() { " + b"g(1); " * 50_000 + b"}\n")
    (bad / "line.py").write_bytes(b"x = [" + b"1, " * 300_000 + b"]\n")
    (bad / "spaces.py").write_bytes(b"x = " + b" " * 1_000_000 + b"1\n")
    (bad / "lines.py").write_bytes(b"\n" * 1_000_000)
    # Too deep.
    for name, opening, closing in (("round", "f(", ")"), ("square", "[", "]"), ("brace", "{", "}"),
                                   ("angle", "a<", ">"), ("open", "f(", ""), ("shut", "", ")")):  # fmt: skip
        text = f"void deep_{name}() {{ {opening * DEEP}{closing * DEEP}; }}\n"
        (native / f"deep_{name}.cpp").write_text(text, encoding="ascii")
    (native / "namespaces.cpp").write_text(
        "namespace n { " * DEEP + "void f() {}" + "}" * DEEP, encoding="ascii"
    )
    (native / "conditions.cpp").write_text("#if A\n" * DEEP + "#endif\n" * DEEP, encoding="ascii")
    (native / "macros.cpp").write_text(
        "#define A(x) B(B(x))\n#define B(x) A(A(x))\nTORCH_LIBRARY(a, m) { A(m.def) }\n" * 500,
        encoding="ascii",
    )
    for name, text in (
        ("brackets", "x = " + "(" * DEEP + ")" * DEEP), ("lists", "x = " + "[" * DEEP),
        ("minus", "x = " + "-" * DEEP + "1"), ("nots", "x = " + "not " * DEEP + "1"),
        ("dots", "x = a" + ".b" * DEEP), ("calls", "x = f" + "()" * DEEP),
        ("sums", "x = " + "a + " * DEEP + "a"), ("lambdas", "x = " + "lambda: " * DEEP + "1"),
        ("ifs", "".join(" " * n + "if a:\n" for n in range(2_000)) + " " * 2_000 + "pass\n"),
        ("defs", "".join(" " * n + f"def f{n}():\n" for n in range(90)) + " " * 90 + "pass\n"),
        ("elifs", "if a: pass\n" + "elif b: pass\n" * DEEP),
        ("decorators", "@d\n" * DEEP + "def f(): pass\n"),
    ):  # fmt: skip
        (bad / f"deep_{name}.py").write_text(text + "\n", encoding="ascii")
    (root / "bomb.yaml").write_text(yaml_bomb(), encoding="ascii")
    # What is no file, or another one.
    (native / "folder.cpp").mkdir()
    (native / "folder.cpp" / "inside.cpp").write_text("void inside() {}\n", encoding="ascii")
    os.mkfifo(native / "pipe.cpp")
    (native / "loop").symlink_to(native)
    (native / "self.cpp").symlink_to(native / "self.cpp")
    (native / "nowhere.cpp").symlink_to(root / "nowhere")
    (native / "outside.h").symlink_to("/etc/hostname")
    (native / "out").symlink_to("/etc")
    secret = native / "secret.cpp"
    secret.write_text("void secret() {}\n", encoding="ascii")
    secret.chmod(0)
    closed = native / "closed"
    closed.mkdir()
    (closed / "a.cpp").write_text("void a() {}\n", encoding="ascii")
    closed.chmod(0)
    # Names.
    (native / "two\nlines.cpp").write_text("void two_lines() {}\n", encoding="ascii")
    (native / 'quote\'s "and" spaces.cpp').write_text("void quoted() {}\n", encoding="ascii")
    (native / "'); DROP TABLE operators; --.cpp").write_text(
        "void dropped() {}\n", encoding="ascii"
    )
    Path(os.fsdecode(os.fsencode(native) + b"/not\xff.cpp")).write_bytes(b"void f() {}\n")
    return root


def yaml_bomb() -> str:
    """A billion items in a few lines."""
    lines = ["- &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"- &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    return "\n".join(lines) + "\n"
