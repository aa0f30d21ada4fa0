"""What a template calls in the class that it is given, by the parameter's name alone."""

from __future__ import annotations

from pathlib import Path

from tests.unit.small_tree import indexed

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/Helper.cpp": (
        "struct Linear {\n  static int weights(int n) { return n; }\n  int rows(int n) { return n; }\n"
        "  static int size(int n) { return n; }\n};\n"
        "struct Cubic {\n  static int weights(int n) { return n; }\n  static int rows(int n) { return n; }\n};\n"
        "template <typename F>\nint apply(int n) {\n  return F::weights(n) + F::rows(n) + F::elsewhere(n);\n}\n"
        "int plain(int n) { return Linear::weights(n); }\n"
    ),
    "aten/src/ATen/native/Other.cpp": "struct Other {\n  static int elsewhere(int n) { return n; }\n};\n",
}


def test_static_methods_of_the_file_are_candidates(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        rows = conn.execute(
            "SELECT caller, callee, kind, line FROM v_calls ORDER BY callee, caller"
        )
        assert [tuple(row) for row in rows] == [
            # A method that needs an object is not meant, nor what another file has of that name.
            ("apply", "Cubic::rows", "candidate", 12),
            ("apply", "Cubic::weights", "candidate", 12),
            ("apply", "Linear::weights", "candidate", 12),
            ("plain", "Linear::weights", "call", 14),
        ]
