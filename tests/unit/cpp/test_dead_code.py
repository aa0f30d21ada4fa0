"""What no compiler sees is no code: behind `#if 0`, and in the `#else` of an `#if 1`."""

from __future__ import annotations

import pytest

from indexer.extract.cpp.dead_code import live
from indexer.extract.cpp.lexical import blanked


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("#if 0\nf();\n#endif\ng();\n", ["g();"]),
        ("#if 0\nf();\n#else\nh();\n#endif\ng();\n", ["h();", "g();"]),
        # Which of the others is compiled is another question.
        ("#if 0\nf();\n#elif defined(A)\nh();\n#else\ni();\n#endif\n", ["h();", "i();"]),
        ("#if 0 && A()\nf();\n#else\nh();\n#endif\n", ["h();"]),
        ("#  if 0 \n#ifdef A\nf();\n#else\nh();\n#endif\ni();\n#endif\ng();\n", ["g();"]),
        ("#if 1\nf();\n#else\nh();\n#endif\ng();\n", ["f();", "g();"]),
        ("#if 1\n#if A\nf();\n#else\nh();\n#endif\n#else\ni();\n#endif\n", ["f();", "h();"]),
        ("#if 1 || A\nf();\n#elif B\nh();\n#else\ni();\n#endif\n", ["f();"]),
        ("#if true\n#if 0\nf();\n#endif\nh();\n#endif\n", ["h();"]),
        # What a compiler may see.
        ("#if 0 || A\nf();\n#endif\n", ["f();"]),
        ("#if 1 && A\nf();\n#else\nh();\n#endif\n", ["f();", "h();"]),
        ("#if 10 > A\nf();\n#else\nh();\n#endif\n", ["f();", "h();"]),
        ("#if A\nf();\n#else\nh();\n#endif\n", ["f();", "h();"]),
        # Nothing ends it.
        ("#if 0\nf();\ng();\n", ["f();", "g();"]),
    ],
)
def test_what_is_left(text: str, kept: list[str]) -> None:
    found = live(text.encode())
    assert len(found) == len(text) and found.count(b"\n") == text.count("\n")
    assert [line for line in found.decode().split("\n") if line.strip(" ").endswith(";")] == kept


def test_comments_say_nothing_of_it() -> None:
    assert b"f();" not in blanked(b"#if 0  // off\nf();\n#endif /* 0 */\n")
    assert b"f();" in blanked(b"// see\n// #if 0\nf();\n//#endif\n")
