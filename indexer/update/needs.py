"""Which link steps an edit makes necessary."""

from __future__ import annotations

from indexer.update.differences import Differences


def needs(number: int, edit: Differences) -> bool:
    """Whether a link step's result can be another than before; where that is not known, it can.

    Args:
        number: the step's.
        edit: what is known when the step's turn has come.
    """
    if number in (10, 12, 14):
        return edit.of_layer_1
    if number == 15:
        return edit.cpp
    if number == 43:
        return edit.cpp or 25 in edit.ran
    if number == 16:
        kernels = edit.kernels_changed() or edit.python_kernels_changed()
        return edit.of_layer_1 or edit.changed["waiting"] or kernels
    if number in (20, 30):
        return 16 in edit.ran or (edit.cpp and not edit.means_the_same_kernels())
    if number == 25:
        return edit.cpp or edit.bases_changed()
    if number in (44, 46):
        rules = edit.of_layer_1 or edit.changed["python_binding_rules"]
        return rules or (edit.cpp and not edit.binds_the_same())
    if number in (40, 41, 42):
        # What 43 takes out of the launches' kernels by the calls, 42 has to put there again.
        if number != 40 and 25 in edit.ran:
            return True
        return edit.cpp or edit.of_layer_1 or edit.changed["python_binding_rules"]
    if number == 65:
        return edit.python or not edit.decomposes_the_same()
    if number == 51:
        return 16 in edit.ran
    if number in (50, 52):
        bindings = edit.changed["python_native_bindings"] or edit.bound_changed()
        return edit.python or bindings or edit.operators_changed()
    if number in (60, 62) and (50 in edit.ran or edit.gtests_changed()):
        return True
    if number == 60:
        return False
    if number == 62:
        return not edit.means_the_same_operators()
    if number == 81:
        return not edit.ran.isdisjoint((50, 52, 60))
    if number == 90:
        return edit.kernels_named() or edit.names_changed()
    return True
