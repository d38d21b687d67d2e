"""Shared by tests: tables, trees, references, browsers, servers."""
