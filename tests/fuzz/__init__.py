"""Fuzzers: random cases, what must hold of each, and the reduction of a failure to a few lines of Python.

`make test` runs a sample (`test_fuzz.py`), `make fuzz MINUTES=60` goes on for as long (`run.py`).
"""
