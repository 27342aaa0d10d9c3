#!/usr/bin/env python3
"""Says what is wrong with feeds, as a strict reader of another make would.

usage: strict.py FILE ...      (.atom, .rss, .json, .opml)

Checks that XML is well-formed (expat), that required elements are there, ids are unique, dates are what the format
wants with the right weekday, and addresses are absolute. Files of one feed (same path but for the ending) must carry
the same ids, titles, links and instants in the same order. With lxml and feedparser installed it asks them as well.
Prints a line a fault; exit status 1 if there is one.
Specifications: RFC 4287, RSS 2.0 with the RSS Profile, JSON Feed 1.1, OPML 2.0.
"""
import datetime
import email.utils
import json
import os
import re
import sys
import urllib.parse
import xml.etree.ElementTree as ET
import xml.parsers.expat

try:
    import lxml.etree
except ImportError:
    lxml = None
try:
    import feedparser
except ImportError:
    feedparser = None

ATOM = "{http://www.w3.org/2005/Atom}"
DC = "{http://purl.org/dc/elements/1.1/}"
RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
RFC822 = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) "
                    r"\d{4} \d\d:\d\d:\d\d (GMT|[+-]\d{4})")


class Faults(list):
    """Faults of one file."""

    def expect(self, holds, message):
        if not holds:
            self.append(message)
        return holds

    def absolute(self, url, what, schemes=("http", "https")):
        parts = urllib.parse.urlsplit(url or "")
        self.expect(parts.scheme in schemes and (parts.netloc or parts.scheme == "urn"), f"{what}: `{url}` is not absolute")

    def rfc3339(self, text, what):
        if self.expect(text and RFC3339.fullmatch(text), f"{what}: `{text}` is no RFC 3339 date"):
            return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()

    def rfc822(self, text, what):
        if self.expect(text and RFC822.fullmatch(text), f"{what}: `{text}` is no RFC 822 date"):
            date = email.utils.parsedate_to_datetime(text)
            self.expect(date.strftime("%a") == text[:3], f"{what}: `{text}` has the wrong weekday")
            return date.timestamp()

    def unique(self, ids):
        for one in sorted({i for i in ids if ids.count(i) > 1}):
            self.append(f"id `{one}` stands {ids.count(one)} times")


def only(parent, tag, faults):
    """The text of the one child, or a fault."""
    found = parent.findall(tag)
    faults.expect(len(found) == 1, f"{len(found)} {tag} in {parent.tag}, not one")
    return (found[0].text or "") if found else None


def root(data, faults):
    """The root element of well-formed XML, or none."""
    try:
        xml.parsers.expat.ParserCreate(namespace_separator=" ").Parse(data, True)
    except xml.parsers.expat.ExpatError as e:
        faults.append(f"not well-formed: {e}")
        return None
    if lxml:
        try:
            lxml.etree.fromstring(data, lxml.etree.XMLParser(recover=False, resolve_entities=False))
        except lxml.etree.XMLSyntaxError as e:
            faults.append(f"lxml: {e}")
    return ET.fromstring(data)


def atom(data, faults):
    feed = root(data, faults)
    if feed is None or not faults.expect(feed.tag == ATOM + "feed", f"root is {feed.tag}"):
        return None
    for tag in ("id", "title", "updated"):
        only(feed, ATOM + tag, faults)
    faults.rfc3339(feed.findtext(ATOM + "updated"), "feed updated")
    faults.absolute(feed.findtext(ATOM + "id"), "feed id", ("http", "https", "urn"))
    rels = [link.get("rel") for link in feed.findall(ATOM + "link")]
    faults.expect(rels.count("self") == 1, "not one link rel=self")
    seen = []
    for entry in feed.findall(ATOM + "entry"):
        uid = only(entry, ATOM + "id", faults)
        faults.absolute(uid, "entry id", ("http", "https", "urn"))
        title = only(entry, ATOM + "title", faults)
        faults.rfc3339(only(entry, ATOM + "updated", faults), f"{uid} updated")
        published = faults.rfc3339(only(entry, ATOM + "published", faults), f"{uid} published")
        links = [link.get("href") for link in entry.findall(ATOM + "link") if link.get("rel", "alternate") == "alternate"]
        content = entry.find(ATOM + "content") is not None
        faults.expect(links or content, f"{uid} has neither link nor content")
        faults.expect(content or entry.find(ATOM + "summary") is not None, f"{uid} has neither content nor summary")
        authors = entry.findall(ATOM + "author") or feed.findall(ATOM + "author")
        faults.expect(authors and all(a.findtext(ATOM + "name") for a in authors), f"{uid} has no author")
        seen.append((uid, title, links[0] if links else None, published))
    for link in feed.iter(ATOM + "link"):
        faults.absolute(link.get("href"), "link", ("http", "https", "mailto"))
    return seen


def rss(data, faults):
    document = root(data, faults)
    if document is None or not faults.expect(document.tag == "rss" and document.get("version") == "2.0", "no RSS 2.0"):
        return None
    channel = document.find("channel")
    for tag in ("title", "link", "description"):
        faults.expect(only(channel, tag, faults), f"channel has an empty {tag}")
    faults.absolute(channel.findtext("link"), "channel link")
    faults.rfc822(channel.findtext("lastBuildDate"), "lastBuildDate")
    own = [link for link in channel.findall(ATOM + "link") if link.get("rel") == "self"]
    faults.expect(len(own) == 1, "not one atom:link rel=self")
    seen = []
    for item in channel.findall("item"):
        uid = only(item, "guid", faults)
        title = only(item, "title", faults)
        link = item.findtext("link")
        if link is not None:
            faults.absolute(link, f"{uid} link")
        faults.expect(item.find("author") is None, f"{uid} has an author, who must be a mail address")
        faults.expect(len(item.findall(DC + "creator")) <= 1, f"{uid} has several dc:creator")
        if item.find("guid").get("isPermaLink") != "false":
            faults.absolute(uid, f"{uid} as a permalink")
        seen.append((uid, title, link, faults.rfc822(only(item, "pubDate", faults), f"{uid} pubDate")))
    return seen


def jsonfeed(data, faults):
    try:
        feed = json.loads(data)
    except ValueError as e:
        faults.append(f"no JSON: {e}")
        return None
    faults.expect(feed.get("version") == "https://jsonfeed.org/version/1.1", "not version 1.1")
    faults.expect(isinstance(feed.get("title"), str), "no title")
    for key in ("home_page_url", "feed_url"):
        faults.absolute(feed.get(key), key)
    seen = []
    for item in feed.get("items", []):
        uid = item.get("id")
        faults.expect(isinstance(uid, str), f"id {uid!r} is no string")
        faults.expect("content_html" in item or "content_text" in item, f"{uid} has no content")
        faults.expect(None not in item.values(), f"{uid} has a null")
        if "url" in item:
            faults.absolute(item["url"], f"{uid} url")
        faults.rfc3339(item.get("date_modified"), f"{uid} date_modified")
        published = faults.rfc3339(item.get("date_published"), f"{uid} date_published")
        seen.append((uid, item.get("title"), item.get("url"), published))
    return seen


def opml(data, faults):
    document = root(data, faults)
    if document is None or not faults.expect(document.tag == "opml" and document.get("version") == "2.0", "no OPML 2.0"):
        return
    faults.expect(document.findtext("head/title"), "head has no title")
    faults.rfc822(document.findtext("head/dateModified"), "dateModified")
    for outline in document.iter("outline"):
        faults.expect(outline.get("text"), "an outline has no text")
        if outline.get("type") == "rss":
            faults.absolute(outline.get("xmlUrl"), "xmlUrl")
            faults.absolute(outline.get("htmlUrl"), "htmlUrl")


def second_opinion(data, seen, faults):
    """Whether feedparser sees the same ids without a complaint."""
    parsed = feedparser.parse(data)
    faults.expect(not parsed.bozo, f"feedparser complains: {parsed.get('bozo_exception')}")
    faults.expect([e.id for e in parsed.entries] == [s[0] for s in seen], "feedparser sees other ids")


def main(files):
    if not files:
        sys.exit(__doc__)
    readers = {".atom": atom, ".rss": rss, ".json": jsonfeed, ".opml": opml}
    feeds, bad = {}, False
    for file in files:
        faults = Faults()
        stem, ending = os.path.splitext(file)
        with open(file, "rb") as f:
            data = f.read()
        seen = readers[ending](data, faults)
        if seen is not None:
            faults.unique([uid for uid, *_ in seen])
            if feedparser and ending in (".atom", ".rss"):
                second_opinion(data, seen, faults)
            first = feeds.setdefault(stem, (file, seen))
            faults.expect(first[1] == seen, f"carries other entries than {first[0]}")
        for fault in faults:
            print(f"{file}: {fault}")
        bad = bad or bool(faults)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
