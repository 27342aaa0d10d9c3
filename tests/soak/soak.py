"""A long run of the real daemon over pages that change and fail at random; says what was lost, moved or leaked.

usage: soak.py PAGEWIRE [--minutes 30] [--pages 1000] [--every 30] [--faults 0.1] [--report FOLDER]

In: the program. Out: in the report's folder, which must be new (without one: in a temporary one, which stays where
something broke), `samples.csv` (memory, descriptors, threads, log of the database, lines),
`plot.svg`, `log.txt` (what the daemon said) and `report.txt`, which is printed too; exit 1 where a promise was broken:

- every post that a page listed is in its topic's feed or archives, once, and nothing else is (promise 37 and 3);
- no id, no `published`, no link of it ever changes, and `updated` moves only where the page's text did;
- a known feed's address answers 200 or 304 at any time;
- memory does not rise with the work, descriptors and threads come back, the database's log stays small;
- the log has a line a failure and a line a change, all of it plain text.

Python's standard library only. The last tenth of the time is calm: no new posts and no faults, then one refresh of all.
"""
import argparse
import asyncio
import collections
import concurrent.futures
import csv
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

from origin import Origin, iso

A = "{http://www.w3.org/2005/Atom}"
SAMPLE = 5  # seconds between two samples
LOOK = 60  # seconds between two looks at all feeds
POSTS_AN_HOUR = 12  # of each page: thousands of times what a blog has
MIB = 1 << 20
# What is too much: MiB an hour of memory that stays, MiB of the database's log.
CREEP, WAL = 8, 64


def configuration(folder, origin, every):
    (folder / "pagewire.toml").write_text(
        f"""seeds = ["seeds.toml"]
[site]
title = "Soak"
[state]
database = "state/pagewire.db"
[publish]
directory = "feeds"
[server]
listen = "127.0.0.1:0"
[fetch]
timeout = "10s"
max_size = "1MiB"
allow_private = ["127.0.0.0/8"]
[schedule]
default = "every {every}s"
min = "1s"
max = "2m"
"""
    )
    topic = '[[topic]]\nslug = "blog-{0}"\ntitle = "Blog {0}"\npages = ["{1}"]\n'
    (folder / "seeds.toml").write_text("".join(topic.format(p.number, origin.url(p)) for p in origin.pages))


def entries_of(path):
    """The entries of a feed and of its archives: id -> (published, updated, title, link); and what was wrong."""
    seen, wrong = {}, []
    files = [path, *sorted(path.with_suffix("").glob("archive/*.atom"))]
    for number, file in enumerate(files):
        try:
            feed = ET.parse(file).getroot()
        except (ET.ParseError, FileNotFoundError) as error:
            wrong.append(f"{file}: {error}")
            continue
        ids = []
        for e in feed.iter(A + "entry"):
            link = next(x.get("href") for x in e.findall(A + "link") if x.get("rel", "alternate") == "alternate")
            entry = (e.findtext(A + "published"), e.findtext(A + "updated"), e.findtext(A + "title"), link)
            ids.append(e.findtext(A + "id"))
            # An entry may be in the feed and in an archive; the feed's is the newer one.
            seen.setdefault(ids[-1], entry)
        if len(ids) != len(set(ids)):
            wrong.append(f"{file}: an id twice")
    return seen, wrong


def look(folder):
    """All topics' feeds as a subscriber has them who reads archives, too."""
    feeds, wrong = {}, []
    for file in sorted((folder / "feeds" / "topics").glob("blog-*.atom")):
        feeds[int(file.stem.split("-")[1])], faults = entries_of(file)
        wrong += faults
    return feeds, wrong


class Soak:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.origin = Origin(arguments.pages, 0.0, arguments.seed, time.time())
        self.samples, self.broken, self.known = [], [], {}
        self.asked = collections.Counter()

    def fail(self, what):
        self.broken.append(what)
        if len(self.broken) < 30:
            print("BROKEN", what, flush=True)

    def start(self):
        self.log = open(self.folder / "log.txt", "wb")
        command = [self.arguments.pagewire, "--config", str(self.folder / "pagewire.toml")]
        self.command = command
        self.daemon = subprocess.Popen([*command, "run"], stderr=self.log, stdout=self.log, cwd=self.folder)

    async def port(self):
        for _ in range(1200):
            found = re.search(rb"listening on 127\.0\.0\.1:(\d+)", (self.folder / "log.txt").read_bytes())
            if found:
                return int(found[1])
            await asyncio.sleep(0.1)
        raise SystemExit("it does not listen")

    def sample(self, start):
        proc = pathlib.Path(f"/proc/{self.daemon.pid}")
        status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
        stat = (proc / "stat").read_text().rsplit(")", 1)[1].split()
        size = lambda name: (self.folder / "state" / name).stat().st_size / MIB  # noqa: E731
        self.samples.append(
            {
                "seconds": round(time.time() - start),
                "rss": int(status["VmRSS"].split()[0]) / 1024,
                "anon": int(status["RssAnon"].split()[0]) / 1024,
                "peak": int(status["VmHWM"].split()[0]) / 1024,
                "fds": len(list((proc / "fd").iterdir())),
                "threads": int(status["Threads"]),
                "wal": size("pagewire.db-wal"),
                "database": size("pagewire.db"),
                "cpu": (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK"),
                "log": (self.folder / "log.txt").read_bytes().count(b"\n"),
                "requests": self.origin.requests,
            }
        )

    async def samples_until(self, start, until):
        while time.time() < until:
            try:
                self.sample(start)
            except (FileNotFoundError, KeyError):
                return self.fail("the daemon is gone, or its state")
            await asyncio.sleep(SAMPLE)

    def compare(self, feeds, wrong):
        """No entry that was seen once is lost, and what is for ever is the same."""
        for what in wrong:
            self.fail(what)
        for number, seen in feeds.items():
            before = self.known.setdefault(number, {})
            for key, (published, updated, _, link) in before.items():
                if key not in seen:
                    self.fail(f"blog {number}: {key} is gone")
                elif (seen[key][0], seen[key][3]) != (published, link):
                    self.fail(f"blog {number}: {key} was {published} {link}, is {seen[key]}")
                elif seen[key][1] < updated:
                    self.fail(f"blog {number}: {key} was updated {updated}, is {seen[key][1]}")
            before |= seen

    async def looks_until(self, until, pool):
        loop = asyncio.get_running_loop()
        while time.time() + LOOK < until:
            await asyncio.sleep(LOOK)
            self.compare(*await loop.run_in_executor(pool, look, self.folder))

    async def subscribers_until(self, until):
        """Feeds are asked for all the time; known addresses answer."""
        chance, known = random.Random(1), set()
        while time.time() < until:
            number = chance.randrange(len(self.origin.pages))
            path = f"/topics/blog-{number}." + chance.choice(["atom", "rss", "json", "html"])
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.served)
                writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                answer = await asyncio.wait_for(reader.read(), 20)
                writer.close()
                status = int(answer[:12].split()[1])
            except (OSError, asyncio.TimeoutError, IndexError) as error:
                status = repr(error)
            self.asked[status] += 1
            if status == 200:
                known.add(number)
            elif number in known or status != 503:
                self.fail(f"{path} answered {status}")
            await asyncio.sleep(0.1)

    async def run_command(self, *arguments):
        done = await asyncio.create_subprocess_exec(
            *self.command, *arguments, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
        )
        _, said = await done.communicate()
        return done.returncode, said.decode()

    async def operator_until(self, until):
        """Status every half minute, a reload of a touched configuration every five."""
        turn = 0
        while time.time() + 30 < until:
            await asyncio.sleep(30)
            turn += 1
            verb = "reload" if turn % 10 == 0 else "status"
            for _ in range(3):
                code, said = await self.run_command(verb)
                self.asked[f"{verb}: {code}"] += 1
                if not code:
                    break
            else:
                # Once is a busy machine; a status has five seconds.
                self.fail(f"{verb} ended with {code} three times: {said}")

    async def run(self):
        minutes = self.arguments.minutes
        await self.origin.start()
        configuration(self.folder, self.origin, self.arguments.every)
        self.start()
        self.served = await self.port()
        start = time.time()
        end = start + minutes * 60
        calm = end - minutes * 6
        with concurrent.futures.ProcessPoolExecutor(1) as pool:
            await self.first_round(start)
            self.origin.faults = self.arguments.faults
            await asyncio.gather(
                self.samples_until(start, end),
                self.origin.live(POSTS_AN_HOUR, calm),
                self.calm(calm),
                self.looks_until(end, pool),
                self.subscribers_until(end),
                self.operator_until(end),
            )
            code, said = await self.run_command("refresh", "--force")
            if code:
                self.fail(f"the last refresh ended with {code}: {said[-500:]}")
            feeds, wrong = await asyncio.get_running_loop().run_in_executor(pool, look, self.folder)
        self.compare(feeds, wrong)
        self.truth(feeds)
        self.sample(start)
        self.daemon.send_signal(signal.SIGTERM)
        stopped = time.time()
        code = await asyncio.get_running_loop().run_in_executor(None, self.daemon.wait, 20)
        if code:
            self.fail(f"it ended with {code}")
        self.leaks()
        return self.report(time.time() - stopped)

    async def first_round(self, start):
        """Every page is read once before anything goes wrong: what it listed at first is its backlog."""
        while missing := [page.number for page in self.origin.pages if not page.served]:
            if time.time() > start + 300:
                raise SystemExit(f"pages {missing} were not read within 300 s, where nothing went wrong: a busy machine?")
            await asyncio.sleep(0.2)
        self.started = time.time() - start

    async def calm(self, when):
        await asyncio.sleep(when - time.time())
        self.origin.faults = 0.0

    def truth(self, feeds):
        """What the pages listed is what the feeds have."""
        self.posts = self.entries = 0
        for page in self.origin.pages:
            seen = feeds.get(page.number, {})
            posts = {post.link: post for post in page.posts}
            self.posts += len(posts)
            self.entries += len(seen)
            for link in posts.keys() - seen.keys():
                self.fail(f"blog {page.number} ({page.kind}): {link} is lost")
            for link in seen.keys() - posts.keys():
                self.fail(f"blog {page.number} ({page.kind}): {link} was never posted")
            listed = set(page.listed())
            for link in seen.keys() & posts.keys():
                post, (published, updated, title, _) = posts[link], seen[link]
                exact = page.kind != "markdown"
                if (published if exact else published[:10]) != (iso(post.at) if exact else iso(post.at)[:10]):
                    self.fail(f"blog {page.number} ({page.kind}): {link} is dated {published}, not {iso(post.at)}")
                if post in listed and title != post.title:
                    self.fail(f"blog {page.number} ({page.kind}): {link} is called {title}, not {post.title}")
                # A text that was cut where nothing tells that it was is an edit, and so is its return.
                if not post.edits and not post.cut and updated != published:
                    self.fail(f"blog {page.number} ({page.kind}): {link} was updated, and never edited")

    def leaks(self):
        """Over the second half, whose feeds have nearly their full size."""
        half = [s for s in self.samples if s["seconds"] >= self.samples[-1]["seconds"] / 2]
        self.slope = {name: slope([(s["seconds"] / 3600, s[name]) for s in half]) for name in ("rss", "anon", "fds")}
        self.creep = creep(self.samples, "anon")
        if self.arguments.minutes >= 20 and self.creep > CREEP:
            self.fail(f"memory creeps up by {self.creep:.1f} MiB an hour")
        if max(s["wal"] for s in self.samples) > WAL:
            self.fail(f"the database's log grew to {max(s['wal'] for s in self.samples):.0f} MiB")
        if self.samples[-1]["threads"] > 16 or self.samples[-1]["fds"] > 400:
            self.fail(f"{self.samples[-1]['threads']} threads, {self.samples[-1]['fds']} descriptors at the end")
        self.lines = (self.folder / "log.txt").read_text(errors="replace").splitlines()
        odd = [line for line in self.lines if len(line) > 600 or not line.isprintable() or "please report" in line]
        for line in odd[:5]:
            self.fail(f"the log says: {line[:700]!r}")

    def report(self, stop):
        last, minutes = self.samples[-1], self.samples[-1]["seconds"] / 60
        kinds = collections.Counter()
        for line in self.lines:
            found = re.search(r"/\d+: ([a-z]+[a-z0-9-]*):|( new, )", line) or re.search(r"()()(WARN|ERROR|INFO)", line)
            kinds[(found and (found[1] or (found[2] and "changed") or found[3])) or "other"] += 1
        peak = max(self.samples, key=lambda s: s["rss"])
        faults = sum(self.origin.failed.values())
        text = f"""{len(self.origin.pages)} pages, every {self.arguments.every} s, {minutes:.1f} minutes, seed {self.arguments.seed}
requests      {self.origin.requests} of pages ({self.origin.not_modified} not modified, {faults} faults = {faults / max(1, self.origin.requests):.1%})
faults        {', '.join(f'{n} {k}' for k, n in self.origin.failed.items())}
first round   {self.started:.1f} s
posts         {self.posts} posted, {self.entries} in the feeds, {sum(p.edits for page in self.origin.pages for p in page.posts)} edits
answers       {dict(self.asked)}
memory        MiB: {self.samples[len(self.samples) // 10]['rss']:.1f} after a tenth, {last['rss']:.1f} at the end, {peak['rss']:.1f} at most, peak {last['peak']:.1f}; anonymous {last['anon']:.1f}
slope         MiB an hour over the second half: {self.slope['rss']:+.1f} (anonymous {self.slope['anon']:+.1f}); descriptors {self.slope['fds']:+.1f}
creep         MiB an hour from one quarter of the requests to the next, the smaller of the last two: {self.creep:+.1f}
descriptors   {min(s['fds'] for s in self.samples)} to {max(s['fds'] for s in self.samples)}, {last['fds']} at the end; threads {min(s['threads'] for s in self.samples)} to {max(s['threads'] for s in self.samples)}
database      {last['database']:.1f} MiB, its log at most {max(s['wal'] for s in self.samples):.1f} MiB
processor     {last['cpu']:.0f} s, {100 * last['cpu'] / last['seconds']:.1f} % of a core
log           {len(self.lines)} lines, {len(self.lines) / minutes:.0f} a minute: {', '.join(f'{n} {k}' for k, n in kinds.most_common(24))}
stop          {stop:.2f} s
broken        {len(self.broken)}
""" + "".join(f"  {what}\n" for what in self.broken[:50])
        (self.folder / "report.txt").write_text(text)
        with open(self.folder / "samples.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, self.samples[0].keys())
            writer.writeheader()
            writer.writerows(self.samples)
        (self.folder / "plot.svg").write_text(plot(self.samples))
        print(text)
        return 1 if self.broken else 0


def creep(samples, name):
    """By how much an hour the high-water mark rises with the work, whatever the machine does meanwhile.

    A busy machine lets connections go and takes them back later, and memory with them, so a slope over time says more
    of the machine than of leaks. What leaks rises with each quarter of the work; what grows to its size once does not.
    """
    first, last = samples[0], samples[-1]
    share = (last["requests"] - first["requests"]) / 4 or 1
    marks = [0.0] * 4
    for s in samples:
        quarter = min(3, int((s["requests"] - first["requests"]) / share))
        marks[quarter] = max(marks[quarter], s[name])
    hours = (last["seconds"] - first["seconds"]) / 3600 / 4 or 1
    return min(marks[2] - marks[1], marks[3] - marks[2]) / hours


def try_creep():
    """The verdict is tried before it is believed."""
    def run(memory, rate=lambda minute: 1000):
        requests, samples = 0, []
        for minute in range(31):
            samples.append({"seconds": 60 * minute, "requests": requests, "m": memory(minute, requests)})
            requests += rate(minute)
        return creep(samples, "m")

    starved = lambda minute: 100 if 8 <= minute < 20 else 1000  # noqa: E731
    assert run(lambda minute, _: 50 + minute / 5) > CREEP, "12 MiB an hour are a leak"
    assert run(lambda _, requests: 50 + requests / 1500, starved) > CREEP, "also on a busy machine"
    assert run(lambda minute, _: 40 + min(minute, 5) * 2) < CREEP, "it grows to its size once"
    assert run(lambda minute, _: 53 if minute >= 20 or minute < 8 else 50, starved) < CREEP, "connections come back"


def slope(points):
    """By least squares."""
    n = len(points)
    x, y = sum(p[0] for p in points) / n, sum(p[1] for p in points) / n
    spread = sum((p[0] - x) ** 2 for p in points)
    return sum((p[0] - x) * (p[1] - y) for p in points) / spread if spread else 0.0


def plot(samples):
    """Four small charts, one above the other."""
    charts = [("rss", "memory, MiB"), ("wal", "the database's log, MiB"), ("fds", "descriptors"), ("log", "lines of log")]
    wide, high, out = 640, 110, []
    end = max(s["seconds"] for s in samples) or 1
    for row, (name, label) in enumerate(charts):
        top = max(s[name] for s in samples) or 1
        y0 = row * (high + 30) + 20
        line = " ".join(f"{60 + wide * s['seconds'] / end:.1f},{y0 + high - high * s[name] / top:.1f}" for s in samples)
        out.append(
            f'<text x="60" y="{y0 - 5}">{label}</text><text x="55" y="{y0 + 8}" text-anchor="end">{top:.0f}</text>'
            f'<text x="55" y="{y0 + high}" text-anchor="end">0</text>'
            f'<path d="M60 {y0}V{y0 + high}H{60 + wide}" fill="none" stroke="#999"/>'
            f'<polyline points="{line}" fill="none" stroke="#06c" stroke-width="1.5"/>'
        )
    height = len(charts) * (high + 30) + 30
    out.append(f'<text x="{60 + wide}" y="{height - 12}" text-anchor="end">{end / 60:.0f} minutes</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide + 80} {height}" font-family="sans-serif" '
        f'font-size="12">{"".join(out)}</svg>\n'
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pagewire")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--every", type=int, default=30)
    parser.add_argument("--faults", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report")
    arguments = parser.parse_args()
    arguments.pagewire = os.path.abspath(arguments.pagewire)
    folder = pathlib.Path(arguments.report or tempfile.mkdtemp(prefix="pagewire-soak-")).absolute()
    (folder / "state").mkdir(parents=True)
    try_creep()
    soak = Soak(arguments, folder)
    status = 1
    try:
        status = asyncio.run(soak.run())
    finally:
        soak.daemon.kill()
        if status or arguments.report:
            print(f"more in {folder}")
        else:
            shutil.rmtree(folder)
    sys.exit(status)


main()
