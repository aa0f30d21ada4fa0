"""Characters by their names: an element of `bytes` is a number."""

from __future__ import annotations

LINE_FEED, HASH, UNDERSCORE = b"\n#_"
OPENING, CLOSING, OPENING_BRACKET, OPENING_BRACE, CLOSING_BRACE = b"()[{}"
COMMA, DOT, COLON, SEMICOLON = b",.:;"
MINUS, LESS, EQUALS, GREATER = b"-<=>"
