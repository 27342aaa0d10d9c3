#!/usr/bin/env python3
"""Kills a refresh, or fails its system call with ENOSPC or EIO, at each write, sync, rename, unlink, truncation and
opening that it makes, one after the other, and looks after each at what a subscriber and the next refresh find.

usage: tests/faults/points.py PROGRAM [EVERY]     EVERY=3 tries each third call only

Needs strace and lxml. A post was published before; another comes with the refresh that is disturbed. Whatever happens:
  - every feed in the folder is whole, holds each id once, and still holds what was published before;
  - a failed call is told (exit code other than 0) or made no difference to what is published;
  - the next refresh, undisturbed, publishes exactly both posts, the first with its id and dates as before.
Exit code: 0 all well, 1 something broke.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from lxml import etree

CALLS = "write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,ftruncate,openat,mkdir,linkat"
FAULTS = {"killed": "signal=SIGKILL", "no space": "error=ENOSPC", "I/O error": "error=EIO"}
ATOM = "{http://www.w3.org/2005/Atom}"
CONFIG = """seeds = ["seeds.toml"]
[site]
base_url = "http://feeds.example"
[state]
database = "state.db"
[publish]
directory = "out"
[server]
listen = "off"
"""


def page(posts):
    head = f"# TPU\n> {len(posts)} posts about TPU\n\n## Articles\n"
    one = "\n### [{0}](https://x.example/{0}.md)\n- Company: Acme\n- Published: 2026-09-{1:02}\n\nWhat {0} says.\n"
    return head + "".join(one.format(title, day) for title, day in posts)


def entries(file):
    root = etree.fromstring(file.read_bytes())
    texts = lambda entry: tuple(entry.findtext(ATOM + name) for name in ("id", "title", "published"))
    return [texts(entry) for entry in root.iter(ATOM + "entry")]


def broken(folder, before):
    """What is wrong with the published feeds, if something is."""
    for file in sorted((folder / "out").rglob("*.atom")):
        if file.name.startswith("."):
            continue
        try:
            found = entries(file)
        except etree.XMLSyntaxError as error:
            return f"{file.name}: {error}"
        if len({entry[0] for entry in found}) != len(found):
            return f"{file.name}: an id twice"
        if not set(before) <= set(found):
            return f"{file.name}: lost {set(before) - set(found)}"
    return None


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        base, work, trace = (pathlib.Path(scratch) / name for name in ("base", "work", "trace"))
        base.mkdir()
        (base / "pagewire.toml").write_text(CONFIG)
        (base / "seeds.toml").write_text('[[topic]]\nslug = "tpu"\npages = ["page.md"]\n')
        (base / "page.md").write_text(page([("alpha", 1)]))
        refresh = lambda folder: [str(program), "--config", str(folder / "pagewire.toml"), "refresh"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(refresh(base), check=True, **quiet)
        before = entries(base / "out/topics/tpu.atom")
        assert [title for _, title, _ in before] == ["alpha"]
        (base / "page.md").write_text(page([("beta", 2), ("alpha", 1)]))

        def fresh():
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(base, work)

        fresh()
        # The folder is another, and with it the page: a first undisturbed run shows what is to come out in the end.
        subprocess.run(refresh(work), check=True, **quiet)
        after = entries(work / "out/topics/tpu.atom")
        assert [title for _, title, _ in after] == ["beta", "alpha"], after
        for name, fault in FAULTS.items():
            tried = 0
            for call in CALLS.split(","):
                for n in range(1, 10_000, every):
                    fresh()
                    inject = ["-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={n}"]
                    done = subprocess.run(["strace", "-f", "-qq", "-o", str(trace), *inject, *refresh(work)], **quiet)
                    if "INJECTED" not in trace.read_text(errors="replace") and done.returncode not in (-9, 137):
                        break
                    tried += 1
                    why = broken(work, before)
                    if why is None and done.returncode == 0 and entries(work / "out/topics/tpu.atom") != after:
                        why = "it said that all is well, and it is not"
                    again = subprocess.run(refresh(work), **quiet).returncode
                    if why is None and again != 0:
                        why = f"the next refresh ended with {again}"
                    if why is None and entries(work / "out/topics/tpu.atom") != after:
                        why = f"in the end there is {entries(work / 'out/topics/tpu.atom')}"
                    if why is not None:
                        bad += 1
                        print(f"{name} at {call} number {n}: {why}", flush=True)
            print(f"{name}: {tried} points tried", flush=True)
            if tried < 20:
                print("too few: is strace allowed to trace here?")
                bad += 1
    sys.exit(1 if bad else 0)


main()
