"""Words, tags and categories, by which searches find events."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "WordsTests"))
import words

MAXIMUM_WORDS = 256
CATEGORY = re.compile("[a-z0-9]+(-[a-z0-9]+)*")


def tags_of(texts):
    """Returns the normal form of tags, without blank ones and repetitions; None if one is invalid."""
    found = {}
    for text in texts:
        tag = words.tag(text)
        if not tag:
            continue
        if len(tag) > 50 or not words.fold(tag) or re.search("[,\0-\x1f\x7f-\x9f]", tag):
            return None
        found.setdefault(words.fold(tag), tag)
    return list(found.values())


def category_of(text):
    """Returns the normal form of a category, or None if it is invalid."""
    lower = re.sub("[A-Z]", lambda match: match[0].lower(), text)
    return lower if len(lower) <= 40 and CATEGORY.fullmatch(lower) else None


def words_of(texts):
    """Returns the distinct words of texts that count."""
    found = dict.fromkeys(word for text in texts for word in words.words(text, False))
    return set(list(found)[:MAXIMUM_WORDS])


def wanted(text):
    """Returns the words of a query, a prefix with `*`, and their number as a person counts."""
    count = len(words.GROUP.findall("".join(map(words.kind, words.fold(text)))))
    return words.words(text, True), count


def has(found, word):
    """Returns whether a word of a query is among those of an event."""
    if word.endswith("*"):
        return any(other.startswith(word[:-1]) for other in found)
    return word in found
