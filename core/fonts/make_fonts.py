#!/usr/bin/env python3
"""Makes the fonts of the PDF sheets: those of Google Fonts, cut down to the characters that a sheet may hold, and
compressed.

    npm pack @expo-google-fonts/inter@0.4.2 @expo-google-fonts/noto-sans-hebrew@0.4.1 \\
      @expo-google-fonts/noto-sans-arabic@0.4.3 @expo-google-fonts/noto-sans-symbols-2@0.4.1 \\
      @expo-google-fonts/noto-emoji@0.4.7
    pip install fonttools==4.68.0
    python3 make_fonts.py FOLDER_OF_THE_FIVE_FILES

All of them are under the SIL Open Font License 1.1, which OFL.txt beside this file repeats; none has a reserved font
name. The same packages give the same bytes.
"""

import gzip
import io
import sys
import tarfile
from pathlib import Path

from fontTools.subset import Options, Subsetter, parse_unicodes
from fontTools.ttLib import TTFont
from fontTools.ttLib.scaleUpem import scale_upem

LATIN_GREEK_CYRILLIC = (
    "20-7E,A0-24F,2B0-2DD,300-32F,331,35C,361,370-3FF,400-52F,1E00-1EFF,2000-2027,202F-205E,2070-209C,20A0-20C0,"
    "2103,2113,2116,2117,2120,2122,2126,212E,2150-215E,2190-2199,2202-2265,25A0-25CF,FB00-FB04,FFFD"
)
# Emoji have outlines of hundreds of points. On a coarser grid the steps between them fit in one byte.
COARSE = 512

# Everything but the main fonts holds what those lack. A space is in each: the shaper draws joiners with it.
FONTS = [
    {
        "name": "inter-regular.ttf",
        "package": "inter",
        "file": "400Regular/Inter_400Regular.ttf",
        "characters": LATIN_GREEK_CYRILLIC,
        "features": ["kern", "mark", "mkmk", "ccmp", "locl", "tnum"],
    },
    {
        "name": "inter-semibold.ttf",
        "package": "inter",
        "file": "600SemiBold/Inter_600SemiBold.ttf",
        "characters": LATIN_GREEK_CYRILLIC,
        "features": ["kern", "mark", "mkmk", "ccmp", "locl", "tnum"],
    },
    {
        "name": "noto-hebrew.ttf",
        "package": "noto-sans-hebrew",
        "file": "400Regular/NotoSansHebrew_400Regular.ttf",
        "characters": "20,A0,25CC,590-5FF",
        "features": ["kern", "mark", "mkmk", "ccmp", "locl"],
    },
    {
        "name": "noto-arabic.ttf",
        "package": "noto-sans-arabic",
        "file": "400Regular/NotoSansArabic_400Regular.ttf",
        "characters": "20,A0,25CC,600-6FF,750-77F",
        "features": ["kern", "mark", "mkmk", "ccmp", "locl", "init", "medi", "fina", "isol", "rlig", "calt"],
    },
    {
        "name": "noto-symbols.ttf",
        "package": "noto-sans-symbols-2",
        "file": "400Regular/NotoSansSymbols2_400Regular.ttf",
        "characters": "20,2190-21FF,25A0-27BF,2B00-2BFF",
        "features": ["ccmp"],
    },
    {
        "name": "noto-emoji.ttf",
        "package": "noto-emoji",
        "file": "400Regular/NotoEmoji_400Regular.ttf",
        "characters": "20,23,2A,30-39,A9,AE,200D,203C,2049,20E3,2122,2139,2190-21FF,2300-27BF,2934-2935,2B00-2BFF,"
        "3030,303D,3297,3299,FE0F,1F000-1FAFF,E0020-E007F",
        "features": ["ccmp"],
        "units_per_em": COARSE,
    },
]


def font(folder, package, file):
    """The font of this package, whatever the package's version."""
    (archive,) = Path(folder).glob(f"expo-google-fonts-{package}-[0-9].*.tgz")
    with tarfile.open(archive) as opened:
        data = opened.extractfile(f"package/{file}").read()
    return TTFont(io.BytesIO(data), recalcTimestamp=False)


def make(folder, wanted):
    made = font(folder, wanted["package"], wanted["file"])
    # Vertical text, variations and hints for screens have no use on a sheet.
    for table in ("vhea", "vmtx", "STAT", "gasp"):
        if table in made:
            del made[table]
    if "units_per_em" in wanted:
        scale_upem(made, wanted["units_per_em"])
    options = Options(layout_features=wanted["features"], hinting=False, notdef_outline=True)
    # Copyright, names, licence and its address stay.
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.recalc_timestamp = False
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=parse_unicodes(wanted["characters"]))
    subsetter.subset(made)
    bytes = io.BytesIO()
    made.save(bytes)
    target = Path(__file__).with_name(f"{wanted['name']}.gz")
    target.write_bytes(gzip.compress(bytes.getvalue(), compresslevel=9, mtime=0))


if __name__ == "__main__":
    for wanted in FONTS:
        make(sys.argv[1], wanted)
