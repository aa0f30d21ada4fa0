"""Finished indexes as files of their own: kept, sent to other machines, and checked when they come."""
