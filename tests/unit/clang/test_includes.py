"""The include graph, and what is precompiled by it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.clang.headers import _PYTHON, Choice, precompiled_headers, steadied
from indexer.clang.includes import Includes


def tree(folder: Path, **files: str) -> dict[str, str]:
    paths = {}
    for name, text in files.items():
        path = folder / (name.replace("__", "/").replace("_h", ".h").replace("_cpp", ".cpp"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        paths[name] = str(path)
    return paths


def test_closures_of_files_that_include_each_other(tmp_path: Path) -> None:
    paths = tree(
        tmp_path,
        a_h='#include "b.h"',
        b_h="#include <a.h>\n# include <vector>",
        u_cpp="#include <a.h>",
    )
    includes = Includes([str(tmp_path)])
    users, foreign = includes.users([paths["u_cpp"]])
    assert users == {paths["a_h"]: 1, paths["b_h"]: 1, paths["u_cpp"]: 1}
    assert foreign == {"vector": 1}


def test_a_digest_changes_with_whatever_is_included(tmp_path: Path) -> None:
    paths = tree(
        tmp_path, a_h='#include "b.h"', b_h='#include "a.h"', u_cpp='#include "a.h"', v_cpp="int x;"
    )
    units = [paths["u_cpp"], paths["v_cpp"]]
    before = Includes([str(tmp_path)]).digests(units)
    Path(paths["b_h"]).write_text('#include "a.h"\nint y;')
    after = Includes([str(tmp_path)]).digests(units)
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_a_file_beside_comes_before_the_folders(tmp_path: Path) -> None:
    paths = tree(
        tmp_path, sub__h_h="", h_h="", sub__u_cpp='#include "h.h"', sub__v_cpp="#include <h.h>"
    )
    includes = Includes([str(tmp_path)])
    assert includes.node(paths["sub__u_cpp"]).found == (paths["sub__h_h"],)
    assert includes.node(paths["sub__v_cpp"]).found == (paths["h_h"],)


def test_what_is_fit_to_be_precompiled(tmp_path: Path) -> None:
    paths = tree(
        tmp_path,
        good_h="#pragma once\n#define A\n#undef A\nnamespace x { using namespace y; }\n",
        comment_h="#pragma once\n// using\n/*\nusing namespace x;\n*/",
        bare_h="int x;",
        using_h="#pragma once\nusing namespace x;",
        undef_h="#pragma once\n#undef CHECK",
    )
    includes = Includes([str(tmp_path)])
    fit = {name for name, path in paths.items() if includes.node(path).once}
    assert fit == {"good_h", "comment_h"}


def test_headers_are_chosen_by_their_users(tmp_path: Path) -> None:
    once = "#pragma once\n"
    files = {
        "c10__many_h": once + "#include <vector>", "c10__few_h": once, "c10__twice_h": "struct S {};",
        "c10__over_h": once + '#include "twice.h"', "c10__cuda__dev_h": once, "c10__foreign_h": once + "#include <no/such.h>",
    }  # fmt: skip
    include = "".join(
        f"#include <c10/{name}.h>\n" for name in ("many", "twice", "over", "cuda/dev", "foreign")
    )
    units = {f"u{n}_cpp": include + ("#include <c10/few.h>\n" if n < 1 else "") for n in range(20)}
    paths = tree(tmp_path, **files, **units)
    names = precompiled_headers(
        Includes([str(tmp_path)]),
        [paths[u] for u in units],
        [str(tmp_path)],
        ["vector", "map"],
        True,
    )
    assert names.names == ["vector", "c10/many.h"]
    assert names.fit == {"vector", "map", "c10/many.h", "c10/few.h", *_PYTHON}


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_components_come_after_what_they_include(edges: list[tuple[int, int]]) -> None:
    includes = Includes([])
    from indexer.clang.includes import Node

    for n in range(8):
        found = tuple(str(b) for a, b in edges if a == n and a != b)
        includes._nodes[str(n)] = Node(str(n), b"", found, (), False, True, False, ())
    components = includes.components([str(n) for n in range(8)])
    order = {path: place for place, component in enumerate(components) for path in component}
    assert sorted(order) == [str(n) for n in range(8)]
    assert all(order[str(b)] <= order[str(a)] for a, b in edges)


def test_one_more_user_does_not_change_the_choice() -> None:
    """Every unit would have to be parsed again; a tree that has become another one is worth it."""
    before = [f"{n}.h" for n in range(100)]
    fresh = Choice([*before[1:], "new.h"], frozenset(before))
    assert steadied(fresh, before) == before
    other = Choice([*before[50:], "new.h"], frozenset(before))
    assert steadied(other, before) == other.names
