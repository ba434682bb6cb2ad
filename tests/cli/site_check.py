#!/usr/bin/env python3
"""Checks pages: site_check.py FOLDER. Elements are closed, names are unique, links and pictures lead somewhere in the
folder, nothing comes from outside. Prints what is wrong, and "N passed, N failed", pages being counted."""
import html.parser
import pathlib
import sys
import urllib.parse

VOID = {"meta", "link", "img", "br", "hr", "input"}
# Names of XML, which nobody fetches.
NAMES = {"http://www.w3.org/2000/svg"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.wrong = [], [], [], []
        self.feed(text)
        self.close()
        self.wrong += ["<%s> is not closed" % tag for tag in self.open]
        self.wrong += ["the name %s is given twice" % i for i in set(self.ids) if self.ids.count(i) > 1]

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        self.see(attrs)

    def handle_startendtag(self, tag, attrs):
        self.see(attrs)

    def see(self, attrs):
        for key, value in attrs:
            if key == "id":
                self.ids.append(value)
            if key in ("href", "src", "data"):
                self.links.append(value)
            elif "://" in (value or "") and value not in NAMES:
                self.wrong.append("%s comes from outside" % value)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("</%s> closes nothing" % tag)


def check_links(folder, path, page, ids):
    wrong = []
    for link in page.links:
        parts = urllib.parse.urlsplit(link)
        target = (path.parent / parts.path) if parts.path else path
        if parts.scheme or parts.netloc:
            wrong.append("%s leads outside" % link)
        elif not target.is_file() or folder not in target.resolve().parents:
            wrong.append("%s is not there" % link)
        elif parts.fragment and parts.fragment not in ids[target.resolve()]:
            wrong.append("%s: no such name" % link)
    return wrong


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.html"))}
    ids = {path: page.ids for path, page in pages.items()}
    failed = 0
    for path, page in pages.items():
        wrong = page.wrong + check_links(folder, path, page, ids)
        failed += bool(wrong)
        for what in wrong:
            print("%s: %s" % (path.name, what))
    print("%d passed, %d failed" % (len(pages) - failed, failed))
    sys.exit(failed > 0 or not pages)


if __name__ == "__main__":
    main()
