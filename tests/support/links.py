"""What the pages of a folder link to and load, and which of it leads nowhere."""

from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "embed": "src", "link": "href"}


class Page(HTMLParser):
    """What one page links to, what it loads, the anchors that it has, its tags, title and description."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors, self.tags, self.title, self.about = set(), set(), set(), [], "", ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        self.anchors |= {given["id"]} if "id" in given else set()
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if given.get(LOADED.get(tag)):
            self.loads.add(given[LOADED[tag]])
        if tag == "meta" and given.get("name") == "description":
            self.about = given["content"]

    def handle_data(self, data):
        if self.tags[-1:] == ["title"] and not self.title:
            self.title = data.strip()


def pages_of(folder):
    """Every page below a folder, read."""
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.resolve().rglob("*.html"))}


def target(page, link):
    """The file and the anchor that a link leads to, None where it leaves the pages."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return (path / "index.html" if path.is_dir() else path), unquote(parts.fragment)


def dead_links(folder, pages):
    """How many links within the folder were followed, and those that lead nowhere or out of it."""
    followed, dead = 0, []
    for page, read in pages.items():
        for link in read.links | read.loads:
            if (found := target(page, link)) is not None:
                path, anchor = found
                followed += 1
                lost = anchor and path in pages and anchor not in {*pages[path].anchors, "top"}
                if not path.is_file() or not path.is_relative_to(folder.resolve()) or lost:
                    dead.append(f"{page.relative_to(folder.resolve())}: {link}")
    return followed, dead
