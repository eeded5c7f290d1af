"""Looks at the first row of DATA before a program that reads DATA itself: first_row.py messages|text.

A column that such a program is not told of it passes over without a word: it would learn what is said of a picture, and never
see it."""
import sys

import data_sources
from data_rows import form_of
from phase_parts import give_up

if __name__ == "__main__":
    row = next(iter(data_sources.load(streaming=True)))
    if row.get(sys.argv[1]) is None:
        give_up(f'DATA: a row has no "{sys.argv[1]}" (it reads as "{form_of(row)}"), which is what this program learns')
