"""Assertions that test classes inherit from outside of PyTorch, whose calls are not kept."""

from __future__ import annotations

INHERITED = frozenset((
    # unittest.TestCase, of Python 3.8 to 3.14: what a newer Python adds or drops changes no index.
    "assertAlmostEqual", "assertAlmostEquals", "assertCountEqual", "assertDictContainsSubset", "assertDictEqual",
    "assertEndsWith", "assertEqual", "assertEquals", "assertFalse", "assertGreater", "assertGreaterEqual",
    "assertHasAttr", "assertIn", "assertIs", "assertIsInstance", "assertIsNone", "assertIsNot", "assertIsNotNone",
    "assertIsSubclass", "assertItemsEqual", "assertLess", "assertLessEqual", "assertListEqual", "assertLogs",
    "assertMultiLineEqual", "assertNoLogs", "assertNotAlmostEqual", "assertNotAlmostEquals", "assertNotEndsWith",
    "assertNotEqual", "assertNotEquals", "assertNotHasAttr", "assertNotIn", "assertNotIsInstance",
    "assertNotIsSubclass", "assertNotRegex", "assertNotRegexpMatches", "assertNotStartsWith", "assertRaises",
    "assertRaisesRegex", "assertRaisesRegexp", "assertRegex", "assertRegexpMatches", "assertSequenceEqual",
    "assertSetEqual", "assertStartsWith", "assertTrue", "assertTupleEqual", "assertWarns", "assertWarnsRegex",
    "assert_",
    # expecttest.TestCase, which torch.testing._internal.common_utils.TestCase derives from.
    "assertExpectedInline", "assertExpectedInlineMunged", "assertExpectedRaisesInline",
))  # fmt: skip
"""`self.assertEqual(…)` and its like say nothing about PyTorch, and are a third of all calls in its Python files."""
