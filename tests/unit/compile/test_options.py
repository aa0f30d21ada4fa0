"""Options of the config modules of torch.compile, as their files give them."""

from __future__ import annotations

from indexer.extract.python.compile.options import options


def test_conditional_defaults_are_all_named() -> None:
    text = b"if a:\n    x = 1\nelse:\n    x = 2\ninstall_config_module(m)\n"
    (found,) = options("torch/a/config.py", text, "torch.a.config")
    assert (found.name, found.default, found.line) == ("torch.a.config.x", "1 | 2", 2)


def test_options_that_a_class_inherits() -> None:
    text = (
        b"@frozen\nclass a:\n    # how many\n    x = 1\n    y = 2\n@inherit_fields_from(a)\nclass b(a):\n    y = 3\n"
        b"install_config_module(m)\n"
    )
    found = {o.name: o.default for o in options("torch/config.py", text, "c")}
    assert found == {"c.a.x": "1", "c.a.y": "2", "c.b.x": "1", "c.b.y": "3"}


def test_another_name_of_a_function_is_no_option() -> None:
    text = b"def f():\n    return 1\n\ng = f\nx = f()\ninstall_config_module(m)\n"
    assert [o.name for o in options("torch/config.py", text, "c")] == ["c.x"]


def test_functorch_s_config_was_one_of_plain_variables() -> None:
    """functorch/_src/config.py of PyTorch 1.13 has AOTAutograd's flags and installs nothing."""
    text = (
        b"'Flags.'\nimport os\n\n# One.\nuse_x = True\ndebug_y = os.environ.get('AOT_Y', False)\n"
    )
    found = list(options("functorch/_src/config.py", text, "functorch._src.config"))
    assert [(o.name, o.default, o.description, o.environment, o.line) for o in found] == [
        ("functorch._src.config.use_x", "True", "One.", "", 5),
        ("functorch._src.config.debug_y", "os.environ.get('AOT_Y', False)", "", "AOT_Y", 6),
    ]
    for path, other in (
        ("torch/_lazy/config.py", text),
        ("functorch/_src/compilers.py", text),
        ("functorch/_src/config.py", text + b"def get():\n    return use_x\n"),
        ("functorch/_src/config.py", b"import os\n"),
        ("functorch/_src/config.py", b""),
    ):
        assert not list(options(path, other, "m"))


def test_a_file_that_installs_nothing_has_no_options() -> None:
    assert list(options("torch/x.py", b"def install_config_module(m): pass\nx = 1\n", "x")) == []
