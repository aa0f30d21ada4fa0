"""Names that decorators give to classes: `@functional_datapipe("batch")` makes `IterDataPipe.batch` of a class.

The decorator (torch/utils/data/datapipes/_decorator.py) calls `register_datapipe_as_function` of a class that the
decorated one derives from (datapipe.py); what is made of any other class derived from that one has the name then.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterator
from typing import NamedTuple

from torchtalk.sqlfile import listed
from torchtalk.testing import queries
from torchtalk.testing.bodies import of_something

_GIVES = re.compile(r"(?:\w+\.)*(?P<decorator>\w+)\(\s*(['\"])(?P<name>[A-Za-z_]\w*)\2\s*[,)]")


class GivenName(NamedTuple):
    """A name that a decorator gives to a class.

    Args:
        class_id: of the class.
        decorator: the last part of its name.
        name: its first argument, which is a text.
    """

    class_id: int
    decorator: str
    name: str


def given_names(conn: sqlite3.Connection, classes: Collection[int]) -> Iterator[GivenName]:
    """The names that decorators give to classes.

    Args:
        conn: an index.
        classes: ids of classes of Python.
    """
    of = {"classes": listed(tuple(classes))}
    for row in conn.execute(queries("given_names")["class_decorators"], of).fetchall():
        for text in row["decorators"].split("\n"):
            match = _GIVES.match(text)
            if match is not None:
                yield GivenName(row["id"], match["decorator"], match["name"])


def asking(conn: sqlite3.Connection, given: GivenName) -> list[sqlite3.Row]:
    """The tests, and the helpers of tests, that use a class by a name on an object of what it is registered at.

    Args:
        conn: an index.
        given: the name.

    Returns:
        Rows with the columns function_id, name, test_id and operators; none where it is registered at no class that it
        derives from: the name is a key of something else.
    """
    sql = queries("given_names")
    of = {"class": given.class_id, "decorator": given.decorator}
    owners = tuple(row["id"] for row in conn.execute(sql["registered_at"], of))
    if not owners:
        return []
    asked = {"name": of_something(given.name), "owners": listed(owners)}
    return conn.execute(sql["bodies_asking"], asked).fetchall()
