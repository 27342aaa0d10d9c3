#!/usr/bin/env python3
"""Times `pagewire refresh` over N and 2N Markdown pages from a server on loopback: a first time, and again unchanged.

  cargo build --release
  benches/refresh.py [--pages 1000] [--rounds 3] [--posts 11-50] [--pagewire target/release/pagewire] [--against OTHER]

Prints, for each binary, CPU milliseconds a page (user and system, as the slope between N and 2N pages, so that what a
start costs is left out) and the peak of its memory at 2N pages. With `--against`, two builds run in turns, and the
ratio is that of pairs: on a machine that does other work, believe the ratio and not the milliseconds.
State and feeds are written below --folder; give it a memory file system, or the disk is measured as well.
Needs Python 3's standard library and Linux. The pages are random words, always the same ones for the same N.
"""
import argparse, os, random, shutil, socket, statistics, subprocess, sys, tempfile, threading

WORDS = ("latency cache tenant vector query shard kernel gradient token batch schema replica canary quorum identity trace "
         "policy session encryption gateway planner snapshot résumé façade “production” p99 q&a 12% v2.3 large-scale").split()


def pages(count, least, most):
    """Markdown topic pages: so many posts each, from 200 companies."""
    dice = random.Random(1)
    some = lambda n: " ".join(dice.choices(WORDS, k=n))
    for page in range(count):
        posts = dice.randint(least, most)
        lines = ["---", f'title: "Topic {page}"', f'description: "{posts} posts about topic {page}."', "---", "",
                 f"# Topic {page}", ""]
        for post in range(posts):
            company = dice.randrange(200)
            date = f"2026-{dice.randint(1, 9):02}-{dice.randint(1, 28):02}"
            lines += [f"### [{some(8)}](https://blog.example/post/{page}-{post}-{some(3).replace(' ', '-')}.md)",
                      f"- Company: [Company {company}](https://blog.example/company/c{company}.md)",
                      f"- Author: {some(2)}, {some(2)}", f"- Published: {date}",
                      f"- Type: {dice.choice(['Tutorial', 'Benchmark', 'Postmortem', 'Release'])}", "", some(110) + ".", ""]
        yield "\n".join(lines).encode()


class Server:
    """Answers GET /N.md with page N, or 304 to its ETag. In threads of its own process, so its CPU is not counted."""

    def __init__(self, count, least, most):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        self.child = os.fork()
        if self.child == 0:
            self.pages = list(pages(count, least, most))
            while True:
                threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True).start()
        self.listener.close()

    def serve(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, connection.makefile("rb") as requests:
            while (first := requests.readline()):
                header = {}
                while (line := requests.readline().strip()):
                    name, _, value = line.partition(b":")
                    header[name.lower()] = value.strip()
                number = int(first.split()[1].strip(b"/").split(b".")[0])
                etag = b'"%d"' % number
                if header.get(b"if-none-match") == etag:
                    connection.sendall(b"HTTP/1.1 304 Not Modified\r\nETag: %s\r\n\r\n" % etag)
                else:
                    body = self.pages[number]
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/markdown\r\nContent-Length: %d\r\nETag: %s"
                                       b"\r\n\r\n" % (len(body), etag) + body)

    def stop(self):
        os.kill(self.child, 15)
        os.waitpid(self.child, 0)


CONFIG = """seeds = ["seeds.toml"]
[site]
base_url = "http://feeds.example"
[state]
database = "state.db"
[publish]
directory = "out"
formats = ["atom", "rss"]
[server]
listen = "off"
[fetch]
allow_private = true
robots = false
per_host = { concurrency = 64, pause = "0s" }
"""


def refresh(binary, folder):
    """CPU milliseconds and peak MiB of one refresh. A small process starts it, so that the peak is its own."""
    starter = ("import os, sys; pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ); "
               "status = os.wait4(pid, 0); usage = status[2]; "
               "print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status[1]))")
    command = [sys.executable, "-c", starter, binary, "--config", f"{folder}/pagewire.toml", "refresh", "-q"]
    cpu, peak, code = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-3:]
    if code != "0":
        sys.exit(f"{binary} ended with {code}")
    return float(cpu) * 1e3, int(peak) / 1024


def both(binary, count, port, folder):
    """A first refresh of `count` pages, and one of the same pages."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(f"{folder}/pagewire.toml", "w") as config, open(f"{folder}/seeds.toml", "w") as seeds:
        config.write(CONFIG)
        for page in range(count):
            seeds.write(f'[[topic]]\nslug = "t{page:05}"\npages = ["http://127.0.0.1:{port}/{page}.md"]\n')
    return refresh(binary, folder), refresh(binary, folder)


def slopes(binary, n, port, folder):
    """Milliseconds a page, first and unchanged, and the peak."""
    (first, _), (same, _) = both(binary, n, port, folder)
    (first2, peak), (same2, _) = both(binary, 2 * n, port, folder)
    return (first2 - first) / n, (same2 - same) / n, peak


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pages", type=int, default=1000)
    options.add_argument("--posts", default="11-50", help="posts a page; few, to see what grows with the number of pages")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--pagewire", default="target/release/pagewire")
    options.add_argument("--against")
    options.add_argument("--folder", default="/dev/shm" if os.path.isdir("/dev/shm") else None)
    given = options.parse_args()
    binaries = [os.path.abspath(b) for b in [given.pagewire, given.against] if b]
    least, _, most = given.posts.partition("-")
    server = Server(2 * given.pages, int(least), int(most or least))
    folder = tempfile.mkdtemp(dir=given.folder)
    try:
        rounds = [[slopes(b, given.pages, server.port, f"{folder}/run") for b in binaries] for _ in range(given.rounds)]
    finally:
        server.stop()
        shutil.rmtree(folder)
    for i, binary in enumerate(binaries):
        for what, name in enumerate(["first: ms a page", "unchanged: ms a page", "peak: MiB"]):
            seen = sorted(r[i][what] for r in rounds)
            line = f"{name:22} {statistics.median(seen):8.3f} [{seen[0]:.3f}-{seen[-1]:.3f}]"
            if i == 0 and given.against:
                ratios = [r[0][what] / r[1][what] for r in rounds]
                line += f"   ratio {statistics.median(ratios):.2f} [{min(ratios):.2f}-{max(ratios):.2f}]"
            print(line, f"  {binary}" if what == 0 else "")


main()
