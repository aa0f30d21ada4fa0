"""Which of several registrations for one operator counts."""

from __future__ import annotations

import re

from indexer.link.compile.entry import Entry

# Holds on some builds only: `if torch.xpu._is_compiled()`.
_DEVICE = re.compile(r"\b(?:_is_compiled|is_available|is_initialized)\(")


class Lowered:
    """Lowerings in the order of their registration; of several for an overload one counts.

    A packet leaves alone what is registered already (`get_overloads` in
    torch/_inductor/lowering.py); an overload by name replaces it.

    Args:
        paths: of files, by their ids.
    """

    def __init__(self, paths: dict[int, str]) -> None:
        self._paths = paths
        self.entries: list[Entry] = []
        self._used: dict[str, int] = {}

    def add(self, entry: Entry, as_packet: bool) -> None:
        """Take in the next registration.

        Args:
            entry: for one overload.
            as_packet: it was made for a packet, of which the overload is one.
        """
        earlier = self._used.get(entry.operator)
        if earlier is not None and as_packet:
            note = f"not used: {self._place(self.entries[earlier])} comes first"
            self.entries.append(entry._replace(is_conditional=True, condition=note))
            return
        if earlier is not None:
            note = f"not used: {self._place(entry)} replaces it"
            replaced = self.entries[earlier]._replace(is_conditional=True, condition=note)
            self.entries[earlier] = replaced
        self._used[entry.operator] = len(self.entries)
        self.entries.append(entry)

    def _place(self, entry: Entry) -> str:
        return f"{self._paths.get(entry.file_id or 0, '?')}:{entry.line}"


def is_conditional(role: str, how: str, condition: str | None, path: str) -> bool:
    """Whether a registration may never happen: one that waits for something else than an import.

    Args:
        role: what the function is for, as in `CompileRegistration`.
        how: the call that registers it.
        condition: that it stands under, as in `CompileRegistration`; None for none.
        path: of the file that it stands in.
    """
    if _DEVICE.search(condition or "") is not None and role != "fake":
        return True
    waits = (condition or "").startswith("when ")
    if role == "fallback" and how.startswith("fallback_handler"):
        return waits or "not added" in how
    # Inductor calls its own registering functions when it is imported; others wait for their use.
    return waits and (role == "fake" or (role == "lowering" and "/_inductor/" not in path))
