#!/usr/bin/env python3
"""Runs pagewire on a page of its own and has real feed readers read what it publishes: once the folder by a web server
of Python's, once what the daemon serves, through a proxy that writes down every answer.

usage: run.py PAGEWIRE      (the built program, such as target/debug/pagewire)

Needs newsboat, sfeed, curl, rss2email, node with rss-parser (in $NODE_PATH), and for Python lxml and feedparser;
tests/run installs them. Everything happens on
loopback and in a temporary folder. Prints a line a check and the sums last; exit status 1 if a check failed.
"""
import contextlib
import dataclasses
import hashlib
import http.client
import http.server
import os
import subprocess
import sys
import tempfile
import threading
import time

import readers

FEEDS = ("topics/tpu.atom", "topics/tpu.rss")
TYPES = {".atom": "application/atom+xml", ".rss": "application/rss+xml", ".json": "application/feed+json",
         ".opml": "text/x-opml", ".html": "text/html; charset=utf-8", ".ico": "image/x-icon", ".png": "image/png"}


@dataclasses.dataclass(frozen=True)
class Post:
    """A post as the page prints it (`markdown`, `date`, `path`), and as every reader must see it."""
    id: str
    path: str
    markdown: str
    title: str
    date: str
    published: int
    authors: tuple = ()

    def link(self):
        """The page's link, without `.md`: the seeds say `link = "html"`."""
        return SITE + self.path.replace(".md", "")

    def text(self):
        author = f"- Author: {', '.join(self.authors)}\n" if self.authors else ""
        return (f"\n### [{self.markdown}]({SITE}{self.path})\n- Company: [Acme & Söhne](https://topics.example/acme.md)\n"
                f"{author}- Published: {self.date}\n- Type: Problem & solution\n\n"
                f"What {self.id} is about: `a < b` & \"c\".\n")


SITE = "https://topics.example/post/"
HOSTILE = Post(SITE + "hostile?a=1&b=2", "hostile.md?a=1&b=2", r'R&D — "x" &lt;b&gt; \]\]>', 'R&D — "x" <b> ]]>',
               "Nov 6, 2025", 1762423200, ("Ana O'Neil", "Yu-Chen Lin"))
CODE = Post(SITE + "iter", "iter.md", "`iter_jax_batches()`, measured", "iter_jax_batches(), measured",
            "2025-11-05T10:30:00+02:00", 1762331400, ("Wei Wei",))
TOKYO = Post(SITE + "tokyo", "tokyo.md", "🚀 東京で学ぶ TPU", "🚀 東京で学ぶ TPU", "Nov 4, 2025", 1762250400)
# A day is 10:00 UTC of it; a second post of that day is a second later, so that readers keep the page's order.
NEW = Post(SITE + "new", "new.md", "On the same day", "On the same day", "Nov 6, 2025", 1762423201, ("東 京子",))
EDITED = dataclasses.replace(TOKYO, markdown="🚀 東京で学ぶ Cloud TPU", title="🚀 東京で学ぶ Cloud TPU")
RENAMED = dataclasses.replace(CODE, path="jax-batches.md")


class Origin:
    """The web server of the page: says what it is told to."""
    status, page = 200, ""

    def list(self, posts):
        head = f"# TPU\n> {len(posts)} posts about TPU, each with a summary.\n\n## Articles\n"
        self.page = head + "".join(post.text() for post in posts)

    def answer(self, request):
        send(request, self.status, {"Content-Type": "text/markdown; charset=utf-8"}, self.page.encode())


class Published:
    """A web server of the published folder, as conditional as a feed's should be."""

    def __init__(self, folder):
        self.folder = folder

    def answer(self, request):
        path = os.path.join(self.folder, request.path.split("?")[0].lstrip("/"))
        if ".." in path or not os.path.isfile(path):
            return send(request, 404, {}, b"")
        with open(path, "rb") as f:
            body = f.read()
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        headers = {"Content-Type": TYPES[os.path.splitext(path)[1]], "ETag": etag,
                   "Last-Modified": request.date_time_string(int(os.path.getmtime(path)))}
        if request.headers.get("If-None-Match") == etag:
            return send(request, 304, headers, b"")
        send(request, 200, headers, body)


class Daemon:
    """`pagewire run` behind a proxy, which keeps its address when the daemon starts again on another port."""

    def __init__(self, program, folder):
        self.command = [program, "--config", os.path.join(folder, "pagewire.toml"), "run"]
        self.folder, self.answers = folder, []

    def start(self):
        self.child = subprocess.Popen(self.command, stderr=subprocess.PIPE, env=readers.surroundings(self.folder))
        said = []
        for line in self.child.stderr:
            said.append(line.decode())
            if "listening on" in said[-1]:
                self.port = int(said[-1].rsplit(":", 1)[1])
                break
        else:
            raise RuntimeError("pagewire run: " + "".join(said))
        threading.Thread(target=self.child.stderr.read, daemon=True).start()

    def stop(self):
        self.child.terminate()
        return self.child.wait(timeout=readers.DEADLINE)

    def serves(self, path):
        server = http.client.HTTPConnection("127.0.0.1", self.port, timeout=readers.DEADLINE)
        server.request("GET", path)
        return server.getresponse().status == 200

    def answer(self, request):
        server = http.client.HTTPConnection("127.0.0.1", self.port, timeout=readers.DEADLINE)
        server.request("GET", request.path, headers=dict(request.headers))
        answer = server.getresponse()
        body = answer.read()
        server.close()
        self.answers.append((request.headers.get("User-Agent", "").split("/")[0], answer.status, len(body)))
        own = ("content-length", "connection", "date", "transfer-encoding")
        send(request, answer.status, {n: v for n, v in answer.getheaders() if n.lower() not in own}, body)


def send(request, status, headers, body):
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name, value)
    if status != 304:
        request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


@contextlib.contextmanager
def serving(site):
    """Serves a site on a free port of loopback; gives its address."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            site.answer(self)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class Checks:
    passed = failed = 0

    def same(self, what, got, expected):
        good = got == expected
        print(f"{'ok  ' if good else 'FAIL'} {what}", flush=True)
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        if not good:
            print(f"       got      {got!r}\n       expected {expected!r}")


def files(folder):
    """The bytes and the time of every published file."""
    found = {}
    for here, _, names in os.walk(folder):
        for path in (os.path.join(here, name) for name in names):
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = (f.read(), os.stat(path).st_mtime_ns)
    return found


def changed(before, after):
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


class Scene:
    """One pagewire, one page, all readers."""

    def __init__(self, program, folder, origin, page, base, name=""):
        self.name, self.program, self.folder, self.origin, self.checks = name, program, folder, origin, Checks()
        self.published = os.path.join(folder, "feeds")
        self.write("pagewire.toml", f'seeds = ["seeds.toml"]\n[site]\nbase_url = "{base}"\n[state]\n'
                   'database = "state.db"\n[publish]\ndirectory = "feeds"\n[fetch]\nallow_private = true\n'
                   'robots = false\nper_host = { pause = "0s" }\n[schedule]\ndefault = "every 1h"\n'
                   '[server]\nlisten = "127.0.0.1:0"\n')
        self.write("seeds.toml", f'[[topic]]\nslug = "tpu"\nlink = "html"\npages = ["{page}"]\n')
        self.readers = [self.subscribed(reader, base, feed) for reader in readers.ALL for feed in FEEDS]

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as f:
            f.write(text)

    def subscribed(self, reader, base, feed):
        folder = os.path.join(self.folder, reader.name + feed.replace("/", "-"))
        os.mkdir(folder)
        return f"{reader.name} of {feed}", reader(folder, f"{base}/{feed}")

    def refresh(self, step, status):
        # The next whole second: readers and Last-Modified know no finer time, and a reader that polled in the same
        # second would rightly take a newer file for the one it has.
        time.sleep(1 - time.time() % 1)
        command = [self.program, "--config", os.path.join(self.folder, "pagewire.toml"), "refresh"]
        code, out, err = readers.run(command, env=readers.surroundings(self.folder))
        self.check(f"{step}: exit status {status}", code, status)
        if code != status:
            print(out + err)

    def check(self, step, got, expected):
        self.checks.same(f"{self.name}{step}", got, expected)

    def unmoved(self, step, before):
        self.check(f"{step}: no file changed its bytes or its time", changed(before, files(self.published)), [])

    def read(self, step, posts, before_edit=()):
        """All readers poll, and must hold these posts and no other; of an edited one sfeed keeps the old line too, and rss2email only
        what it was at first."""
        paths = sorted(path for path in files(self.published) if not path.endswith((".html", ".ico", ".png")))
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "strict.py")
        code, out, err = readers.run([sys.executable, script, *paths], cwd=self.published)
        self.check(f"{step}: strict.py of {len(paths)} files", (code, out + err), (0, ""))
        for name, reader in self.readers:
            try:
                reader.poll()
                held = sorted(reader.entries())
            except Exception as error:  # A reader that cannot read is the finding, and the others go on.
                held = error
            here = posts
            if isinstance(reader, readers.Sfeed):
                here = [*posts, *before_edit]
            elif isinstance(reader, readers.Rss2email):
                first = {post.id: post for post in before_edit}
                here = [first.get(post.id, post) for post in posts]
            expected = [readers.Entry(p.id, p.title, p.link(), p.published, reader.authors(p.authors)) for p in here]
            self.check(f"{step}: {name}", held, sorted(expected))


def play(scene):
    """The life of a topic page, as its subscribers see it."""
    origin = scene.origin
    origin.list([HOSTILE, CODE, TOKYO])
    scene.refresh("first reading", 0)
    scene.read("first reading", [HOSTILE, CODE, TOKYO])

    before = files(scene.published)
    scene.refresh("no change", 0)
    scene.unmoved("no change", before)
    scene.read("no change", [HOSTILE, CODE, TOKYO])

    origin.list([NEW, HOSTILE, CODE, TOKYO])
    scene.refresh("a new post, dated by its day", 0)
    scene.read("a new post, dated by its day", [NEW, HOSTILE, CODE, TOKYO])

    origin.list([NEW, HOSTILE, CODE, EDITED])
    scene.refresh("an edited title", 0)
    scene.read("an edited title", [NEW, HOSTILE, CODE, EDITED], [TOKYO])

    origin.list([NEW, HOSTILE, RENAMED, EDITED])
    scene.refresh("a renamed post", 0)
    scene.read("a renamed post", [NEW, HOSTILE, RENAMED, EDITED], [TOKYO, CODE])

    before = files(scene.published)
    origin.status = 500
    scene.refresh("a failing page", 1)
    scene.unmoved("a failing page", before)
    scene.read("a failing page", [NEW, HOSTILE, RENAMED, EDITED], [TOKYO, CODE])

    origin.status = 200
    scene.refresh("a page that is back", 0)
    scene.unmoved("a page that is back", before)


def play_served(scene, daemon):
    """The same with the daemon serving: readers come back to 304, to a new post, to a daemon that was restarted."""
    origin, posts = scene.origin, [HOSTILE, CODE, TOKYO]
    origin.list(posts)
    daemon.start()
    deadline = time.time() + readers.DEADLINE
    while not daemon.serves("/" + FEEDS[-1]) and time.time() < deadline:
        time.sleep(0.01)
    scene.read("first poll", posts)
    before = files(scene.published)
    scene.refresh("no change", 0)
    scene.unmoved("no change", before)
    scene.read("no change", posts)

    def unchanged(step):
        """Whoever remembers validators gets 304 and nothing else."""
        daemon.answers.clear()
        scene.read(step, posts)
        told = {(status, size) for who, status, size in daemon.answers if who not in ("Python-urllib", "rss-parser")}
        scene.check(f"{step}: 304 without a body, {len(daemon.answers)} answers", told, {(304, 0)})

    unchanged("third poll")
    posts.insert(0, NEW)
    origin.list(posts)
    scene.refresh("a new post", 0)
    scene.read("a new post", posts)
    before = files(scene.published)
    scene.check("restart: exit status of the daemon", daemon.stop(), 0)
    daemon.start()
    unchanged("restart")
    scene.unmoved("restart", before)


def main(program):
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        del os.environ[name]  # Everything is on this machine.
    program, passed, failed = os.path.abspath(program), 0, 0
    for served in (False, True):
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="pagewire-readers-"))
            origin, daemon = Origin(), Daemon(program, folder)
            page = stack.enter_context(serving(origin)) + "/topic/tpu.md"
            site = daemon if served else Published(os.path.join(folder, "feeds"))
            base = stack.enter_context(serving(site))
            scene = Scene(program, folder, origin, page, base, "served, " if served else "")
            if served:
                stack.callback(daemon.stop)
                play_served(scene, daemon)
            else:
                play(scene)
        passed, failed = passed + scene.checks.passed, failed + scene.checks.failed
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not os.access(sys.argv[1], os.X_OK):
        sys.exit(f"run.py: no program at {sys.argv[1]}; build it first (cargo build)")
    main(sys.argv[1])
