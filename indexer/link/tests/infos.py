"""OpInfos and their like: which calls make one, their names, and the operators they stand for."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

from indexer.link.tests.names import Names

# The roots of the three families: torch/testing/_internal/opinfo/core.py, common_modules.py and
# common_optimizers.py.
_KINDS = {"OpInfo": "op", "ModuleInfo": "module", "OptimizerInfo": "optimizer"}
_FAMILY = "torch.testing."


def link_infos(conn: sqlite3.Connection, names: Names) -> None:
    """Keep the calls of classes that derive from a root, and give the entries their names.

    Args:
        conn: the database, in a transaction.
        names: what its test machinery's names stand for.
    """
    kinds: dict[str, tuple[str, str]] = {}
    templates = dict(conn.execute("SELECT name, template FROM opinfo_classes ORDER BY line"))
    bases = _bases(conn, names)
    infos: list[dict[str, Any]] = []
    for row in _rows(conn):
        target = row["class_name"]
        if target not in kinds:
            kinds[target] = _kind(names.full(target), bases)
        row["kind"], row["class_name"] = kinds[target]
        if row["kind"] != "other":
            infos.append(row)
    conn.execute("CREATE TEMP TABLE not_infos AS SELECT id FROM opinfos")
    conn.executemany("DELETE FROM not_infos WHERE id = ?", [(row["id"],) for row in infos])
    conn.execute("DELETE FROM opinfos WHERE id IN (SELECT id FROM not_infos)")
    conn.execute("DROP TABLE not_infos")
    by_name: dict[tuple[str, str], dict[str, Any]] = {}
    for row in infos:
        _name(row, templates, bases)
        if row["kind"] == "op" and row["name"]:
            by_name.setdefault((row["name"], row["given_variant"] or ""), row)
    for row in infos:
        _inherit(row, by_name)
    conn.executemany(
        "UPDATE opinfos SET name = :name, variant = :variant, aten_name = :aten_name,"
        " kind = :kind, class = :class, class_name = :class_name, subject = :subject,"
        " ref_id = :ref_id WHERE id = :id",
        infos,
    )
    conn.execute(
        "INSERT INTO coverage (layer, file, status, detail)"
        " SELECT 'tests', f.path, 'partial', 'line ' || o.line || ': the name of this '"
        " || o.class || ' is only known when it is made' FROM opinfos AS o"
        " JOIN source_files AS f ON f.id = o.file_id WHERE o.name IS NULL ORDER BY o.id"
    )


def _rows(conn: sqlite3.Connection) -> list[dict[str, Any]]:
    columns = (
        "id", "class_name", "class", "subject", "given_name", "given_aten_name", "given_variant",
        "ref_name", "ref_variant",
    )  # fmt: skip
    found = conn.execute(f"SELECT {', '.join(columns)} FROM opinfos ORDER BY id")
    return [dict(zip(columns, row, strict=True)) for row in found]


def _bases(conn: sqlite3.Connection, names: Names) -> dict[str, list[str]]:
    """The bases of classes named `…Info`, by full name."""
    found: dict[str, list[str]] = {}
    for name, base in conn.execute(
        "SELECT c.name, b.name FROM python_classes AS c"
        " LEFT JOIN python_bases AS b ON b.class_id = c.id"
        " WHERE c.name GLOB '*Info' ORDER BY c.id, b.position"
    ):
        found.setdefault(name, [])
        if base:
            found[name].append(names.full(base))
    return found


def _kind(full: str, bases: dict[str, list[str]]) -> tuple[str, str]:
    pending, seen = [full], set()
    while pending:
        name = pending.pop(0)
        if name in seen:
            continue
        seen.add(name)
        last = name.rpartition(".")[2]
        if name.startswith(_FAMILY) and last in _KINDS:
            return _KINDS[last], full
        pending += bases.get(name, [])
    return "other", full


def _name(row: dict[str, Any], templates: dict[str, str], bases: dict[str, list[str]]) -> None:
    row["class"] = row["class_name"].rpartition(".")[2]
    row["ref_id"] = None
    if row["kind"] == "op":
        given = row["given_name"]
        template = _template(row["class_name"], templates, bases)
        row["name"] = template.replace("{}", given or "") if given or "{}" not in template else None
        return
    # `ModuleInfo.name` is the class's path without `torch.` (torch/testing/_internal/common_modules.py,
    # `get_module_common_name`); an OptimizerInfo goes by its class's (common_optimizers.py, `name`).
    subject = row["subject"] or ""
    last = subject.rpartition(".")[2]
    row["name"] = (_module_name(subject) if row["kind"] == "module" else last) or None


def _module_name(subject: str) -> str:
    owner, _, last = subject.rpartition(".")
    owner = owner.removeprefix("torch.")
    # torch.nn.modules.linear.Linear is nn.Linear.
    if owner.startswith("nn.modules"):
        owner = "nn"
    return f"{owner}.{last}" if owner else last


def _template(name: str, templates: dict[str, str], bases: dict[str, list[str]]) -> str:
    pending = [name]
    while pending:
        name = pending.pop(0)
        template = templates.get(name, "{}")
        if template != "{}":
            return template
        pending += bases.get(name, [])
    return "{}"


def _inherit(row: dict[str, Any], by_name: dict[tuple[str, str], dict[str, Any]]) -> None:
    """A Python reference takes what it is not given from the entry it refers to.

    torch/testing/_internal/opinfo/refs.py, `_inherit_constructor_args`; an entry without an
    aten_name has its name for one (opinfo/core.py, `OpInfo.__post_init__`).
    """
    aten_name, variant = row["given_aten_name"], row["given_variant"]
    if row["ref_name"] is not None:
        of = by_name.get((row["ref_name"], row["ref_variant"] or ""))
        if of is not None:
            row["ref_id"] = of["id"]
            aten_name = aten_name or of["given_aten_name"]
            variant = of["given_variant"] if variant is None else variant
    row["variant"] = variant or ""
    row["aten_name"] = (aten_name or row["name"]) if row["kind"] == "op" else None


_FUNCTIONAL = "nn.functional."
_INPLACE = re.compile(r"torch\.Tensor\.(\w+_)$|torch\.nn\.functional\.(\w+)\b.*\binplace=True")


def _inplace(name: str, class_: str, given: str | None, is_ref: bool) -> str:
    """The operator that an entry's in-place variant is, as far as the text tells; "" for none.

    torch/testing/_internal/opinfo/core.py: `OpInfo.__post_init__` takes the method of that name, `ReductionOpInfo`
    none; opinfo/refs.py, `_inherit_constructor_args`: a Python reference has none.
    """
    if given:
        told = _INPLACE.search(given)
        return (told[1] or f"{told[2]}_") if told else ""
    if is_ref or class_.endswith("ReductionOpInfo"):
        return ""
    return f"{name}_"


_OP = re.compile(r"torch\.ops\.(\w+)\.(\w+)(?:\.\w+)?$")


def _called(subject: str, name: str, apis: dict[str, list[str]], bases: set[str]) -> list[str]:
    """The operators that an entry calls, by what it is given as `op=`, else by a name that says it in full.

    `OpInfo("torch.ops.aten._safe_softmax.default", op=torch.ops.aten._safe_softmax.default)`, or `torch._scaled_mm`.
    """
    for text in (subject, name):
        operator = _OP.match(text)
        if operator is not None and operator[2] in bases:
            return [operator[2]]
        if text in apis:
            return apis[text]
    return []


def link_operators(conn: sqlite3.Connection) -> None:
    """Fill `opinfo_operators`: by aten_name, by the public API of that name, by alias, name or in-place variant.

    Args:
        conn: the database, in a transaction; `opinfos` and `python_apis` must be linked.
    """
    bases = {base for (base,) in conn.execute("SELECT DISTINCT base FROM operators")}
    apis: dict[str, list[str]] = {}
    for api, base in conn.execute(
        "SELECT DISTINCT a.api, o.base FROM python_apis AS a"
        " JOIN operators AS o ON o.id = a.operator_id ORDER BY a.api, o.base"
    ):
        apis.setdefault(api, []).append(base)
    refs = dict(conn.execute("SELECT id, ref_id FROM opinfos WHERE ref_id IS NOT NULL"))
    methods = {
        base for (base,) in conn.execute(
            "SELECT DISTINCT base FROM operators WHERE namespace = 'aten' AND instr(variants, 'method')")
    }  # fmt: skip
    rows: list[tuple[int, str, str]] = []
    for identity, kind, name, aten_name, aliases, class_, inplace, ref, subject in conn.execute(
        "SELECT id, kind, name, aten_name, aliases, class, inplace, ref_name, subject FROM opinfos ORDER BY id"
    ).fetchall():
        found: dict[str, str] = {}
        if kind == "op":
            plain = (name or "").removeprefix("_refs.")
            for text, how in ((aten_name, "aten_name"), (plain, "name")):
                for base in (text or "", (text or "").replace(".", "_")):
                    if base in bases:
                        found.setdefault(base, how)
            for api in (f"torch.{plain}", f"torch.Tensor.{plain}"):
                for base in apis.get(api, ()):
                    # nn.functional.elu is what aten::elu is called in Python, not only what calls it.
                    found.setdefault(base, "name" if plain == f"{_FUNCTIONAL}{base}" else "api")
            for base in () if found else _called(subject or "", name or "", apis, bases):
                found.setdefault(base, "api")
            for alias in (aliases or "").split(", "):
                base = alias.replace(".", "_")
                if base in bases:
                    found.setdefault(base, "alias")
                if f"{alias}_" in methods:
                    # `AliasInfo.__init__` (opinfo/core.py) takes it too.
                    found.setdefault(f"{alias}_", "inplace")
            base = _inplace(name or "", class_, inplace, ref is not None)
            if base in (bases if inplace or base.startswith("_foreach_") else methods):
                found[base] = "inplace"
        elif kind == "module":
            for base in apis.get(f"torch.{name}", ()):
                found.setdefault(base, "api")
        rows += [(identity, base, how) for base, how in found.items()]
    have: dict[int, list[str]] = {}
    for identity, base, how in rows:
        if how != "inplace":
            have.setdefault(identity, []).append(base)
    for identity, of in refs.items():
        rows += [
            (identity, base, "alias")
            for base in have.get(of, ())
            if base not in have.get(identity, ())
        ]
    conn.executemany("INSERT INTO opinfo_operators VALUES (?, ?, ?)", rows)
