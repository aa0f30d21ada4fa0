"""Classes that macros make: what their methods override."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
    "torch/csrc/Shapes.h": """
namespace torch {
struct Shape {
  virtual int sides(int n) { return n; }
  virtual ~Shape() = default;
};
#define REGISTER_SHAPE(id, ...)                 \\
  struct Shape_##id final : public torch::Shape { \\
    int sides(int n) override { return __VA_ARGS__; } \\
  };                                            \\
  REGISTER_CLASS(ShapeRegistry, Shape_##id)
#define REGISTER_ROUND(id) REGISTER_SHAPE(round_##id, 0)
#define MADE_BELOW(id, base)                    \\
  struct Below_##id : public base {             \\
    int sides(int n) { return 1; }              \\
  };
#define MADE_ALONE(id)                          \\
  struct Shape_alone_##id {                     \\
    int sides(int n) { return 1; }              \\
  };
}
""",
    "torch/csrc/Shapes.cpp": """
namespace torch {
REGISTER_SHAPE(square, 4)
REGISTER_ROUND(disc)
MADE_BELOW(any, Other)
MADE_ALONE(one)
}
""",
}


def test_methods_of_a_class_that_a_macro_makes_override_those_of_the_base_that_it_names(
    tmp_path: Path,
) -> None:
    with indexed(FILES, tmp_path) as conn:
        found = conn.execute(
            "SELECT source, target, file, line FROM v_edges WHERE kind = 'virtual' ORDER BY target"
        ).fetchall()
    # What a macro is given as a base is not known by the macro alone, and some classes have none.
    assert [tuple(row) for row in found] == [
        ("torch::Shape::sides", "torch::Shape_round_disc::sides", "torch/csrc/Shapes.cpp", 4),
        ("torch::Shape::sides", "torch::Shape_square::sides", "torch/csrc/Shapes.cpp", 3),
    ]
