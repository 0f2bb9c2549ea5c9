"""Folds texts and cuts them in words with Python's tables of Unicode.

Prints JSON: a list that has for each text the text, its fold, its distinct words in the index, its words as
a query, and its form as a tag. A `*` ends a query's word that may be the beginning of another.

    words.py characters     texts with all characters that Python knows
    words.py texts SEED N   N random texts
"""

import json
import random
import re
import sys
import unicodedata

REPLACED = dict(zip("øłđðıħŧŋ‘’ʻʼ‐‑", "olddihtn''''--"))
REPLACED.update({"ŋ": "n", "þ": "th", "æ": "ae", "œ": "oe"})
SPACES = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\U00020000-\U0003ffff]")
# Of kinds of characters: letter, number, mark, joint, symbol, unit of a script without spaces.
GROUP = re.compile("(?P<run>x[xm]*)|(?P<words>[lnm]+(?:(?<=[lm])j(?=[lm])[lnm]+)*)|(?P<symbol>s)")


def normalized(form, text):
    return unicodedata.normalize(form, text)


def stays(character):
    order = unicodedata.combining(character)
    return not (order >= 200 or 10 <= order <= 36 or unicodedata.category(character) in ["Cf", "Me"]
                or character == "\u0640" or "\ufe00" <= character <= "\ufe0f")


def fold(text):
    parts = [normalized("NFKD", normalized("NFKD", one).casefold()) for one in text]
    return normalized("NFD", "".join(REPLACED.get(one, one) for one in "".join(parts) if stays(one)))


def kind(character):
    if character in "'-":
        return "j"
    category = unicodedata.category(character)
    if category[0] in "LN":
        return "x" if WITHOUT_SPACES.match(character) else category[0].lower()
    return "m" if category[0] == "M" else "s" if category == "So" else "."


def cut(word):
    return word.encode()[:64].decode(errors="ignore")


def words(text, is_query):
    found = []
    folded = fold(text)
    for group in GROUP.finditer("".join(map(kind, folded))):
        of_group = folded[group.start():group.end()]
        if group["run"]:
            starts = [match.start() for match in re.finditer("x", group[0])] + [len(of_group)]
            units = [of_group[start:end] for start, end in zip(starts, starts[1:])]
            found += map(cut, map("".join, zip(units, units[1:])))
            if not is_query:
                found.append(cut(units[-1]))
            elif len(units) == 1:
                found.append(cut(units[0]) + "*")
        elif "j" in group[0]:
            parts = re.split("['-]", of_group)
            long = [cut(part) for part in parts if len(part) > 1]
            found += long
            if not is_query or not long:
                found.append(cut("".join(parts)))
        else:
            found.append(cut(of_group))
    if is_query and found and not re.search(f"[{SPACES}]\\Z", text) and found[-1][-1] != "*":
        found[-1] += "*"
    return found


def lowercase(character):
    return "i" if character == "İ" else character.lower()


def tag(text):
    text = normalized("NFC", "".join(map(lowercase, text)))
    return re.sub(f"[{SPACES}]+", " ", text).lstrip(" #").rstrip(" ")


def assigned():
    characters = map(chr, range(0x110000))
    return [one for one in characters if unicodedata.category(one) not in ["Cn", "Co", "Cs"]]


def characters():
    known = assigned()
    for start in range(0, len(known), 16):
        # Whether a joint is one depends on the character after it.
        yield "".join(f"a-{one}b " for one in known[start:start + 16])


def texts(seed, count):
    chosen = random.Random(seed)
    known = assigned()
    marks = [one for one in known if unicodedata.combining(one)]
    pools = [
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "aeiou", "0123456789²½٢", "'-’‘‐‑ʼ-'",
        " \t\n\xa0 ", ",.;:!?#@&/_+\"(", "ßÄöüéłŁøØæŒđĐðþıİħŧŋﬁﬀ", "ΣσςάΈѐЁйЇҐ", "東京都日本語한국어서울",
        "ばはパカｶﾞー々〆〇", "งานดนตรีกรุงเทพ์ำลาວ", "क्याहिन्दी", "عربيـَّ", "שָׁלוֹם", "🎷❤️👍🏽🇩🇪☕",
        "\u200d\u200b\u00ad\ufe0f\u20dd", marks, known, known[:3000],
    ]
    for _ in range(count):
        some = chosen.sample(pools, chosen.randint(1, 4))
        text = "".join(chosen.choice(chosen.choice(some)) for _ in range(chosen.randint(0, 40)))
        # Long words, which are cut.
        yield text * chosen.choice([1, 1, 1, 1, 4])


def main():
    chosen = characters() if sys.argv[1] == "characters" else texts(int(sys.argv[2]), int(sys.argv[3]))
    rows = []
    for text in chosen:
        index = list(dict.fromkeys(words(text, False)))
        rows.append([text, fold(text), index, words(text, True), tag(text)])
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
