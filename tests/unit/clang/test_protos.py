"""Headers of protobuf's messages: what a parser sees of them must be what protoc would have written."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.clang.library import load_libclang
from indexer.clang.parse import Parsed
from indexer.clang.protos import header_of, write_headers

_PROTO = """\
syntax = "proto2";
package caffe2;
import "caffe2/proto/other.proto"; // of another file
/* message Hidden { optional int32 a = 1; } */
enum Kind { FIRST = 0; SECOND = 1; }
message Shape {
  enum Layout { DENSE = 0; SPARSE = 3; }
  message Part { required int64 begin = 1; }
  repeated int64 dims = 1 [packed = true];
  optional bool unknown = 2 [default = false];
  optional Layout layout = 3;
  repeated Part parts = 4;
  optional string NAME = 5;
  repeated string names = 6;
  repeated Layout layouts = 7;
  optional Kind kind = 8;
  optional Other other = 9;
}
"""
_USE = """\
#include "caffe2/proto/shape.pb.h"
using namespace caffe2;
long long use(Shape& shape) {
  shape.add_dims(3); shape.set_name("x"); shape.add_names("y"); *shape.add_names() = "z";
  shape.add_parts()->set_begin(1); shape.mutable_other()->set_value(2.0f);
  shape.set_layout(Shape::SPARSE); shape.add_layouts(Shape_Layout_DENSE); shape.set_kind(SECOND);
  for (const auto& part : shape.parts()) if (part.has_begin()) return part.begin();
  std::string text; shape.SerializeToString(&text);
  return shape.dims(0) + shape.dims_size() + Kind_MAX + Shape::Layout_ARRAYSIZE + shape.unknown()
      + Shape::Layout_Name(shape.layout()).size();
}
"""
_WRONG = '#include "caffe2/proto/shape.pb.h"\nvoid f(caffe2::Shape& s) { s.hidden(); s.set_dims(1.5); }\n'


def _errors(tree: Path, text: str) -> list[str]:
    from indexer.clang.environment import header_flags

    lib = load_libclang()
    file = tree / "use.cpp"
    stand_in = Path(__file__).parents[3] / "indexer/clang/include/third_party"
    flags = [*header_flags(tree / "none"), f"-I{tree}", f"-idirafter{stand_in}"]
    index = lib.createIndex(0, 0)
    try:
        with Parsed(lib, index, str(file), flags, [(str(file), text.encode())]) as parsed:
            return [problem.text for problem in parsed.problems(20)[1]]
    finally:
        lib.disposeIndex(index)


@pytest.mark.slow
def test_messages_can_be_used(tmp_path: Path) -> None:
    folder = tmp_path / "caffe2/proto"
    folder.mkdir(parents=True)
    (folder / "shape.proto").write_text(_PROTO, encoding="utf-8")
    other = 'syntax = "proto2"; package caffe2; message Other { optional float value = 1; }'
    (folder / "other.proto").write_text(other, encoding="utf-8")
    write_headers(tmp_path, tmp_path)
    assert _errors(tmp_path, _USE) == []
    wrong = _errors(tmp_path, _WRONG)
    assert len(wrong) == 2
    assert "hidden" in wrong[0]


def test_what_is_cut_off_is_no_trouble() -> None:
    for length in range(0, len(_PROTO), 7):
        assert header_of(_PROTO[:length]).startswith("#pragma once")
