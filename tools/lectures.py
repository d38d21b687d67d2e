"""Write docs/lectures.md, every item of the lectures with its call and answer, and the items of each lesson.

python tools/lectures.py
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from lectures import s0, s1, s2, s3, s4  # noqa: E402
from lectures.items import HEAD, ITEMS, TOPICS, names, page, section  # noqa: E402

MODULES = (s0, s1, s2, s3, s4)

if __name__ == "__main__":
    found = {number: item.found(names()) for number, item in ITEMS.items()}
    (ROOT / "docs" / "lectures.md").write_text(page(found), encoding="utf-8")
    for topic in TOPICS:
        file = ROOT / "docs" / "lectures" / f"{topic}.md"
        lesson = file.read_text(encoding="utf-8").partition(HEAD)[0].rstrip()
        file.write_text(f"{lesson}\n\n{section(topic)}", encoding="utf-8")
    print(f"wrote {len(found)} items and {len(TOPICS)} pages")
