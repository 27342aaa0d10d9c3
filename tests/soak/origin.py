"""A web of made-up blogs on loopback that change and fail at random, and that remember the truth.

In: a seed, a number of pages, the share of requests that go wrong. Out: an HTTP server a host (127.0.H.1), and for each
page which posts it ever listed, with what was said of them. The pages are Markdown, HTML, RSS, Atom and JSON Feed; posts
come at random, are edited now and then, and leave the page after fifteen others, as on a blog's first page.
"""
import asyncio
import gzip
import html
import json
import random
import time
from email.utils import formatdate

LISTED = 15  # posts on a page
HOSTS = 100
HANG = 60  # seconds for which a server that never answers holds the connection
WORDS = (
    "amber basin cedar delta ember fjord grove harbor island jasper kelp lagoon meadow nectar orchard prairie quartz "
    "ridge summit thicket upland valley willow yarrow zephyr anchor beacon canyon dune estuary forest glacier"
).split()
COMPANIES = [f"{a.title()} {b.title()}" for a, b in zip(WORDS[:25], WORDS[7:], strict=False)]
KINDS = ["markdown"] * 5 + ["html"] * 2 + ["rss", "atom", "json"]
TYPES = {
    "markdown": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "json": "application/feed+json",
}
CHALLENGE = b"<!doctype html><title>Just a moment...</title><p>Checking your browser. Enable JavaScript and cookies."
LOGIN = b'<!doctype html><title>Sign in</title><form><input name="user"><input type="password" name="pass"></form>'
REPAIR = b"<!doctype html><title>Down for maintenance</title><h1>We will be back soon</h1>"
FAULTS = (
    "500 502 503 404 403 429 hang drip reset cut-length cut-chunked cut-close cut-gzip not-gzip garbage picture empty "
    "challenge login repair loop moved-for-now half twice upside-down huge"
).split()


class Post:
    """One post, and all that a page ever said of it."""

    def __init__(self, number, page, at, chance):
        self.link = f"https://blog{page}.example/post/{number}"
        self.title = " ".join(chance.choices(WORDS, k=5)).capitalize() + f" {number}"
        self.company = chance.choice(COMPANIES)
        self.summary = f"What {self.title} says of {' '.join(chance.choices(WORDS, k=12))}."
        self.at = at
        self.edits = 0
        self.cut = False  # whether a body without a length ended within it


class Page:
    def __init__(self, number, chance, now):
        self.number, self.chance = number, chance
        self.kind = KINDS[number % len(KINDS)]
        self.host = f"127.0.{number % HOSTS + 1}.1"
        self.posts, self.served = [], 0
        self.last_whole = 0.0  # when all of it was last sent
        for back in range(LISTED, 0, -1):
            self.add(now - back * 8 * 3600 - chance.randrange(3600))

    def add(self, at):
        self.posts.append(Post(len(self.posts) + 1, self.number, int(at), self.chance))

    def edit(self):
        post = self.chance.choice(self.posts[-LISTED:])
        post.edits += 1
        post.title += " again"

    def listed(self):
        return self.posts[: -LISTED - 1 : -1]

    def body(self, posts):
        return getattr(self, self.kind)(posts).encode()

    def markdown(self, posts):
        text = f"# Blog {self.number}\n> {len(posts)} posts about soaking\n\n## Articles\n"
        for p in posts:
            day = time.strftime("%b %-d, %Y", time.gmtime(p.at))
            text += f"\n### [{p.title}]({p.link})\n- Company: [{p.company}](https://yomu.example/company/"
            text += f"{p.company.lower().replace(' ', '-')}.md)\n- Published: {day}\n\n{p.summary}\n"
        return text

    def html(self, posts):
        rows = "".join(
            f'<li class="post"><h2><a href="{p.link}">{html.escape(p.title)}</a></h2><time datetime="{iso(p.at)}">'
            f"{iso(p.at)[:10]}</time><p>{p.summary}</p></li>\n"
            for p in posts
        )
        return (
            f"<!doctype html><html lang=en><title>Blog {self.number}</title><nav><a href=/>Home</a> <a href=/about>"
            f"About</a></nav><main><h1>Blog {self.number}</h1><ul>\n{rows}</ul></main><footer>Made by hand</footer></html>"
        )

    def rss(self, posts):
        items = "".join(
            f"<item><title>{p.title}</title><link>{p.link}</link><description>{p.summary}</description>"
            f"<pubDate>{formatdate(p.at)}</pubDate></item>\n"
            for p in posts
        )
        return (
            f'<?xml version="1.0"?><rss version="2.0"><channel><title>Blog {self.number}</title><link>https://blog'
            f"{self.number}.example/</link><description>Soaking</description>\n{items}</channel></rss>"
        )

    def atom(self, posts):
        entries = "".join(
            f'<entry><title>{p.title}</title><id>{p.link}</id><link href="{p.link}"/><summary>{p.summary}</summary>'
            f"<author><name>{p.company}</name></author><published>{iso(p.at)}</published><updated>{iso(p.at)}</updated>"
            f"</entry>\n"
            for p in posts
        )
        return (
            f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Blog {self.number}</title><id>tag:blog'
            f"{self.number}.example,2026:feed</id><updated>{iso(posts[0].at)}</updated>\n{entries}</feed>"
        )

    def json(self, posts):
        items = [
            {"id": p.link, "url": p.link, "title": p.title, "content_text": p.summary, "date_published": iso(p.at)}
            for p in posts
        ]
        feed = {"version": "https://jsonfeed.org/version/1.1", "title": f"Blog {self.number}", "items": items}
        return json.dumps(feed)


def iso(at):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


class Origin:
    def __init__(self, pages, faults, seed, now):
        self.chance = random.Random(seed)
        self.pages = [Page(n, random.Random(f"{seed}/{n}"), now) for n in range(pages)]
        self.faults = faults
        self.requests, self.not_modified, self.failed = 0, 0, dict.fromkeys(FAULTS, 0)
        self.port = 0
        self.servers = []

    async def start(self):
        hosts = sorted({page.host for page in self.pages})
        first = await asyncio.start_server(self.connection, hosts[0], 0)
        self.port = first.sockets[0].getsockname()[1]
        others = [await asyncio.start_server(self.connection, host, self.port) for host in hosts[1:]]
        self.servers = [first, *others]

    def url(self, page):
        return f"http://{page.host}:{self.port}/{page.number}"

    async def live(self, posts_an_hour, until):
        """Posts come, about one in ten is edited later."""
        while time.time() < until:
            await asyncio.sleep(1)
            for page in self.pages:
                if self.chance.random() < posts_an_hour / 3600:
                    page.add(time.time() - 1)
                if self.chance.random() < posts_an_hour / 36000:
                    page.edit()

    async def connection(self, reader, writer):
        try:
            while await self.request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def request(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = head.split(" ", 2)[1]
        if path == "/robots.txt":
            return await say(writer, 404, b"")
        if path == "/login":
            return await say(writer, 200, LOGIN, "text/html")
        if path == "/loop":
            return await say(writer, 302, b"", more="Location: /loop\r\n")
        self.requests += 1
        page = self.pages[int(path.rsplit("/", 1)[1])]
        body, media_type = page.body(page.listed()), TYPES[page.kind]
        if path.startswith("/now/") or self.chance.random() >= self.faults:
            return await self.whole(writer, head, page, body, media_type)
        fault = self.chance.choice(FAULTS)
        self.failed[fault] += 1
        return await self.fail(fault, reader, writer, page, body, media_type)

    async def whole(self, writer, head, page, body, media_type):
        etag = f'"{hash(body) & 0xFFFFFFFF:x}"'
        page.last_whole = time.time()
        if f"if-none-match: {etag}" in head.lower():
            self.not_modified += 1
            return await say(writer, 304, b"", more=f"ETag: {etag}\r\n")
        page.served = len(page.posts)
        more = f"ETag: {etag}\r\n"
        if self.chance.random() < 0.5:
            body, more = gzip.compress(body), more + "Content-Encoding: gzip\r\n"
        return await say(writer, 200, body, media_type, more)

    async def fail(self, fault, reader, writer, page, body, media_type):
        cut = self.chance.randrange(1, len(body))
        if fault.isdigit():
            more = "Retry-After: 15\r\n" if fault in ("429", "503") else ""
            return await say(writer, int(fault), b"<h1>No</h1>", "text/html", more)
        match fault:
            case "hang":
                await asyncio.wait([asyncio.ensure_future(reader.read(1))], timeout=HANG)
            case "drip":
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: 99999\r\n\r\n".encode())
                for byte in body[: HANG * 2]:
                    writer.write(bytes([byte]))
                    await writer.drain()
                    await asyncio.sleep(0.5)
            case "reset":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Le")
                await writer.drain()
                writer.transport.abort()
            case "cut-length":
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode())
                writer.write(body[:cut])
            case "cut-chunked":
                head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nTransfer-Encoding: chunked\r\n\r\n"
                writer.write(f"{head}{len(body):x}\r\n".encode() + body[:cut])
            case "cut-close":
                for post in page.listed():
                    post.cut |= body.find(post.link.encode(), 0, cut) >= 0 and post.summary.encode() not in body[:cut]
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nConnection: close\r\n\r\n".encode())
                writer.write(body[:cut])
            case "cut-gzip":
                packed = gzip.compress(body)
                await say(writer, 200, packed[: len(packed) // 2], media_type, "Content-Encoding: gzip\r\n")
            case "not-gzip":
                return await say(writer, 200, body, media_type, "Content-Encoding: gzip\r\n")
            case "garbage":
                return await say(writer, 200, self.chance.randbytes(3000), media_type)
            case "picture":
                return await say(writer, 200, b"\x89PNG\r\n\x1a\n" + self.chance.randbytes(500), "image/png")
            case "empty":
                return await say(writer, 200, b"", media_type)
            case "challenge":
                return await say(writer, 200, CHALLENGE, "text/html")
            case "login":
                return await say(writer, 302, b"", more="Location: /login\r\n")
            case "repair":
                return await say(writer, 200, REPAIR, "text/html")
            case "loop":
                return await say(writer, 302, b"", more="Location: /loop\r\n")
            case "moved-for-now":
                return await say(writer, 302, b"", more=f"Location: /now/{page.number}\r\n")
            case "half":
                return await say(writer, 200, page.body(page.listed()[: LISTED // 3]), media_type)
            case "twice":
                return await say(writer, 200, page.body(page.listed() * 2), media_type)
            case "upside-down":
                return await say(writer, 200, page.body(page.listed()[::-1]), media_type)
            case "huge":
                return await say(writer, 200, body + b" " * (2 << 20), media_type)
        return False


async def say(writer, status, body, media_type="text/plain", more=""):
    length = "" if status == 304 else f"Content-Length: {len(body)}\r\nContent-Type: {media_type}\r\n"
    writer.write(f"HTTP/1.1 {status} X\r\n{length}{more}\r\n".encode() + body)
    await writer.drain()
    return True
