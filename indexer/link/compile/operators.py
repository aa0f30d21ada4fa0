"""Which overloads a registration means, and where the functions it names stand."""

from __future__ import annotations

import bisect
import re
import sqlite3

# {table}: its keys; {table:field}: a field of its records; !other: of those without another field.
_PLACEHOLDER = re.compile(r"\{([\w/]+)(?::(\w+))?(?:!(\w+))?\}")
_TAGGED = re.compile(r"(\w+)::<tag:(\w+)>$")


class Operators:
    """The operators of an index by name and by packet.

    Args:
        conn: the index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._ids: dict[str, int] = {}
        self._packets: dict[str, list[str]] = {}
        for identity, name, namespace, base in conn.execute(
            "SELECT id, name, namespace, base FROM operators ORDER BY id"
        ):
            self._ids[name] = identity
            self._packets.setdefault(f"{namespace}::{base}", []).append(name)
        self._tagged: dict[tuple[str, str], list[str]] = {}
        for namespace, tag, base in conn.execute(
            "SELECT DISTINCT o.namespace, t.tag, o.namespace || '::' || o.base FROM operator_tags AS t"
            " JOIN operators AS o ON o.id = t.operator_id ORDER BY o.id"
        ):
            self._tagged.setdefault((namespace, tag), []).append(base)
        self._records: dict[str, dict[str, dict[str, str]]] = {}
        for table, key, field, value in conn.execute(
            "SELECT table_name, key, field, value FROM compile_names ORDER BY file_id, line, field"
        ):
            self._records.setdefault(table, {}).setdefault(key, {})[field] = value
        self._variables: dict[str, str] = {}
        self._higher: set[str] = set()
        for name, variable, class_name in conn.execute(
            "SELECT name, variable, class_name FROM higher_order_operators ORDER BY id"
        ):
            if class_name:
                module = class_name.rpartition(".")[0]
                self._variables.setdefault(f"{module}.{name}", f"higher_order::{name}")
            self._higher.add(f"higher_order::{name}")
            if variable:
                self._variables[variable] = f"higher_order::{name}"
                # The package hands on what its modules define.
                last = variable.rpartition(".")[2]
                self._variables.setdefault(
                    f"torch._higher_order_ops.{last}", f"higher_order::{name}"
                )

        # `seed = make_prim("inductor_seed(…) -> Tensor", …)`: the variable stands for the operator.
        for variable, operator in conn.execute(
            "SELECT m.name || '.' || b.name, r.operator FROM registrations AS r"
            " JOIN python_modules AS m ON m.file_id = r.file_id"
            " JOIN python_bindings AS b ON b.module_id = m.id AND b.line = r.line"
            " AND b.kind = 'call' AND b.scope = ''"
            " WHERE r.kind = 'def' AND r.origin = 'python' ORDER BY r.id"
        ):
            self._variables.setdefault(variable, operator)

    def expanded(self, operator: str) -> list[str]:
        """A name with its placeholder for another module's dictionary filled in.

        Args:
            operator: as in `CompileRegistration`.

        Returns:
            A name for each record that has the field; the name alone where it has no placeholder.
        """
        match = _PLACEHOLDER.search(operator)
        if match is None:
            return [operator]
        table, field, absent = match[1].replace("/", "."), match[2] or "", match[3]
        found = []
        for record in self._records.get(table, {}).values():
            value = record.get(field)
            if value and (not absent or absent not in record):
                found.append(operator[: match.start()] + value + operator[match.end() :])
        return found

    def overloads(self, operator: str, all_overloads: bool) -> list[str]:
        """The operators that a name means.

        Args:
            operator: as in `CompileRegistration`, placeholders and tags included.
            all_overloads: it is a packet.

        Returns:
            Their names in full, each once; an empty list where the index knows none.
        """
        found: list[str] = []
        for name in self.expanded(operator):
            tagged = _TAGGED.match(name)
            if tagged is not None:
                for packet in self._tagged.get((tagged[1], tagged[2]), ()):
                    found.extend(self._packets[packet])
            elif name in self._higher:
                found.append(name)
            elif all_overloads:
                found.extend(self._packets.get(name, ()))
            elif name in self._ids:
                found.append(name)
            elif name in self._variables:
                found.append(self._variables[name])
        return list(dict.fromkeys(found))

    def identity(self, operator: str) -> int | None:
        """The id of an operator; None for a higher-order one."""
        return self._ids.get(operator)


class Places:
    """Where Python functions stand.

    Args:
        conn: the index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._found: dict[str, list[tuple[int, int]]] = {}
        rows = conn.execute(
            "SELECT m.name || '.' || p.name, m.file_id, p.line FROM python_functions AS p"
            " JOIN python_modules AS m ON m.id = p.module_id"
            " WHERE p.kind <> 'module' AND (m.name LIKE 'torch.\\_%' ESCAPE '\\' OR m.name LIKE 'torch.distributed%'"
            " OR m.name LIKE 'torch.library%' OR m.name LIKE 'functorch%'"
            # Whoever registers something may do it anywhere: torch/nn/attention/varlen.py.
            " OR m.file_id IN (SELECT file_id FROM registrations WHERE origin = 'python'))"
            " ORDER BY m.file_id, p.line"
        )
        nested = conn.execute(
            "SELECT name, file_id, line FROM compile_functions ORDER BY file_id, line"
        )
        for name, file_id, line in (*rows, *nested):
            self._found.setdefault(name, []).append((file_id, line))
        # What a function of a registering helper's is (`make_prim.<locals>.meta`) was found where that was followed.
        for name, file_id, line in conn.execute(
            "SELECT DISTINCT kernel, kernel_file_id, kernel_line FROM registrations"
            " WHERE origin = 'python' AND instr(kernel, '.<locals>.') AND kernel_line IS NOT NULL"
            " ORDER BY kernel_file_id, kernel_line"
        ).fetchall():
            if name not in self._found:
                self._found[name] = [(file_id, line)]

    def place(self, function: str | None, file_id: int, line: int) -> tuple[int, int] | None:
        """File and line of a function's `def`; None where it is not known.

        Args:
            function: its qualified name.
            file_id: of the registration.
            line: of the registration; of several functions of one name in its file, the one that
                begins at or behind it counts, else the last before it.
        """
        found = self._found.get(function or "")
        if not found:
            return None
        own = [at for file, at in found if file == file_id]
        if not own:
            return found[-1]
        position = bisect.bisect_left(own, line)
        return file_id, own[position] if position < len(own) and own[position] - line < 60 else own[
            position - 1
        ]
