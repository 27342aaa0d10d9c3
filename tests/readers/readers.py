"""Feed readers that people use: each polls one feed and says which entries it then shows. Used by run.py.

A reader has a folder of its own. `poll()` fetches the feed once, or raises; `entries()` lists what the reader holds
afterwards, as it holds it. `authors` says what it shows of an entry's authors.
"""
import calendar
import collections
import datetime
import email.header
import email.utils
import json
import mailbox
import os
import signal
import sqlite3
import subprocess
import urllib.request

import feedparser
import lxml.etree

import strict

DEADLINE = 60  # seconds for any one command
Entry = collections.namedtuple("Entry", "id title link published authors")


def run(command, **options):
    """Runs a command to its end, or kills it with all its children at the deadline. Gives exit status, out, err."""
    pipe = subprocess.PIPE
    child = subprocess.Popen(command, stdout=pipe, stderr=pipe, stdin=subprocess.DEVNULL, start_new_session=True,
                             encoding="utf-8", errors="replace", **options)
    try:
        out, err = child.communicate(timeout=DEADLINE)
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        raise
    return child.returncode, out, err


def surroundings(home):
    """Variables for a child that must neither find the user's files nor leave this machine."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return kept | {"HOME": home, "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TZ": "UTC"}


def joined(authors):
    return ", ".join(authors)


class Newsboat:
    """newsboat, by its cache; it knows an entry by its id alone, so each feed has a cache of its own."""
    name = "newsboat"

    def __init__(self, folder, url):
        self.folder = folder
        for name, text in (("urls", url + "\n"), ("config", "")):
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)

    def poll(self):
        command = ["newsboat", "-q", "-u", "urls", "-c", "cache.db", "-C", "config", "-x", "reload"]
        status, out, err = run(command, cwd=self.folder, env=surroundings(self.folder))
        if status or err:
            raise RuntimeError(f"newsboat: exit {status}: {out}{err}")

    def entries(self):
        cache = sqlite3.connect(os.path.join(self.folder, "cache.db"))
        rows = cache.execute("select guid, title, url, pubDate, author from rss_item where deleted = 0").fetchall()
        cache.close()
        return [Entry(*row) for row in rows]

    authors = staticmethod(joined)


class Sfeed:
    """sfeed, by its file of tab-separated values, with the conditional fetch() that its README gives."""
    name = "sfeed"

    def __init__(self, folder, url):
        self.folder, self.atom = folder, url.endswith(".atom")
        with open(os.path.join(folder, "sfeedrc"), "w") as f:
            f.write(f'sfeedpath="{folder}/feeds"\n'
                    f'feeds() {{ feed "feed" "{url}"; }}\n'
                    f'fetch() {{\n\tetag="{folder}/etag"\n'
                    '\tcurl -L --max-redirs 0 -H "User-Agent:" -f -s -m 15 --compressed '
                    '--etag-save "${etag}" --etag-compare "${etag}" -z "${etag}" "$2" 2>/dev/null\n}\n')

    def poll(self):
        status, out, err = run(["sfeed_update", os.path.join(self.folder, "sfeedrc")], env=surroundings(self.folder))
        if status or "FAIL" in out + err:
            raise RuntimeError(f"sfeed_update: exit {status}: {out}{err}")

    def entries(self):
        with open(os.path.join(self.folder, "feeds", "feed"), encoding="utf-8", newline="\n") as f:
            rows = [line.rstrip("\n").split("\t") for line in f]
        return [Entry(uid, title, link, int(time), author) for time, title, link, _, _, uid, author, *_ in rows]

    def authors(self, authors):
        """Of several Atom authors it shows the first."""
        return joined(authors[:1] if self.atom else authors)


class Feedparser:
    """feedparser, with its validators passed back; it must not complain."""
    name = "feedparser"

    def __init__(self, _folder, url):
        self.url, self.etag, self.modified, self.held = url, None, None, []

    def poll(self):
        feed = feedparser.parse(self.url, etag=self.etag, modified=self.modified)
        if feed.bozo:
            raise RuntimeError(f"feedparser: {feed.bozo_exception}")
        if feed.status == 304:
            return
        if feed.status != 200:
            raise RuntimeError(f"feedparser: status {feed.status}")
        self.etag, self.modified = feed.get("etag"), feed.get("modified")
        self.held = [Entry(e.id, e.title, e.link, calendar.timegm(e.published_parsed),
                           joined(a.name for a in e.get("authors", []))) for e in feed.entries]

    def entries(self):
        return self.held

    authors = staticmethod(joined)


class Strict:
    """Our own strict.py on top of expat and lxml, which take nothing that is not well-formed."""
    name = "strict"

    def __init__(self, _folder, url):
        self.url, self.held = url, []

    def poll(self):
        with urllib.request.urlopen(self.url, timeout=DEADLINE) as answer:
            data = answer.read()
        faults = strict.Faults()
        seen = (strict.atom if self.url.endswith(".atom") else strict.rss)(data, faults)
        if faults:
            raise RuntimeError("strict.py: " + "; ".join(faults))
        root = lxml.etree.fromstring(data)
        posts = root.findall(strict.ATOM + "entry") + root.findall("channel/item")
        names = (f"{strict.ATOM}author/{strict.ATOM}name", strict.DC + "creator")
        authors = [joined(found.text for name in names for found in post.findall(name)) for post in posts]
        self.held = [Entry(*one, who) for one, who in zip(seen, authors, strict=True)]

    def entries(self):
        return self.held

    authors = staticmethod(joined)


class Rss2email:
    """rss2email, by the mails that it puts into a maildir; an entry that it mailed once it never mails again."""
    name = "rss2email"

    def __init__(self, folder, url):
        self.folder = folder
        with open(os.path.join(folder, "r2e.cfg"), "w") as f:
            f.write(f"[DEFAULT]\nfrom = r2e@mail.example\nto = me@mail.example\nuser-agent = rss2email\n"
                    f"email-protocol = maildir\nmaildir-path = {folder}\nmaildir-mailbox = mail\n"
                    f"date-header = True\nforce-from = True\n[feed.feed]\nurl = {url}\n")

    def poll(self):
        command = ["r2e", "-c", "r2e.cfg", "-d", "r2e.json", "run"]
        status, out, err = run(command, cwd=self.folder, env=surroundings(self.folder))
        if status or "error" in err.lower():
            raise RuntimeError(f"r2e: exit {status}: {out}{err}")

    def entries(self):
        box = mailbox.Maildir(os.path.join(self.folder, "mail"), create=False)
        header = lambda mail, name: str(email.header.make_header(email.header.decode_header(mail[name])))
        date = lambda mail: int(email.utils.parsedate_to_datetime(mail["Date"]).timestamp())
        return [Entry(header(m, "X-RSS-ID"), header(m, "Subject"), header(m, "X-RSS-URL"), date(m), "") for m in box]

    def authors(self, _authors):
        """They stand in the sender's name, in a form of its own."""
        return ""


class RssParser:
    """rss-parser, the library of npm."""
    name = "rss-parser"
    SCRIPT = """
        const Parser = require("rss-parser");
        new Parser().parseURL(process.argv[1]).then(feed => console.log(JSON.stringify(feed.items)));
    """

    def __init__(self, folder, url):
        self.folder, self.url, self.atom, self.held = folder, url, url.endswith(".atom"), []

    def poll(self):
        variables = surroundings(self.folder) | {"NODE_PATH": os.environ.get("NODE_PATH", "")}
        status, out, err = run(["node", "-e", self.SCRIPT, self.url], cwd=self.folder, env=variables)
        if status or err:
            raise RuntimeError(f"rss-parser: exit {status}: {err}")
        date = lambda item: int(datetime.datetime.fromisoformat(item["isoDate"].replace("Z", "+00:00")).timestamp())
        self.held = [Entry(i.get("id") or i["guid"], i["title"], i["link"], date(i), i.get("author") or i.get("creator") or "")
                     for i in json.loads(out)]

    def entries(self):
        return self.held

    def authors(self, authors):
        """Of several Atom authors it shows the first."""
        return joined(authors[:1] if self.atom else authors)


ALL = [Newsboat, Sfeed, Rss2email, Feedparser, RssParser, Strict]
