"""Asks for feeds at a steady rate until SIGTERM, half of it on connections that are kept, and counts what failed.

usage: load.py HOST:PORT RATE PATH...

In: paths that are published. Out: at the end a line of counts, and a line for each of the first failures; exit 1 where
there was one. A failure is anything but a whole 200 whose bytes are those that ever came with its ETag, or a 304 to an
ETag. A kept connection that was seen to be closed is replaced before it is used. One that is closed as a request is on
its way is asked again on a new one, as HTTP has it (RFC 9112 §9.3.1), and counted as `again`.
"""
import asyncio
import signal
import sys
import time

KEPT = 20  # connections that are kept
LIMIT = 30  # seconds for an answer: a restart with a start's work in it may take a while


class Stale(Exception):
    """A kept connection was closed before a byte of the answer came."""


class Load:
    def __init__(self, address, rate, paths):
        host, port = address.rsplit(":", 1)
        self.host, self.port, self.rate, self.paths = host, int(port), rate, paths
        self.last = {}  # path -> ETag
        self.bodies = {}  # (path, ETag) -> body
        self.failed, self.again, self.kept, self.fresh, self.new = [], 0, 0, 0, 0
        self.times, self.stop = [], asyncio.Event()

    async def connect(self):
        return await asyncio.open_connection(self.host, self.port)

    async def ask(self, pair, path, keep, reused=False):
        """One request on a connection; whether it may be used again."""
        reader, writer = pair
        known = self.last.get(path)
        conditional = f"If-None-Match: {known}\r\n" if known and len(self.times) % 3 == 0 else ""
        try:
            writer.write(
                f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\n{conditional}"
                f"Connection: {'keep-alive' if keep else 'close'}\r\n\r\n".encode()
            )
            await writer.drain()
            head = await reader.readuntil(b"\r\n\r\n")
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            if reused and not getattr(error, "partial", b""):
                raise Stale from error
            raise
        status, *lines = head.decode("latin-1").split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines if line)}
        status = int(status.split()[1])
        if status == 304 and conditional:
            return headers.get("connection") != "close"
        body = await reader.readexactly(int(headers["content-length"]))
        if status != 200:
            raise ValueError(f"{status}")
        self.last[path] = headers["etag"]
        if self.bodies.setdefault((path, headers["etag"]), body) != body:
            raise ValueError("other bytes under the same ETag")
        return headers.get("connection") != "close"

    async def on_new(self, path):
        pair = await self.connect()
        try:
            await self.ask(pair, path, keep=False)
        finally:
            pair[1].close()

    async def on_kept(self, idle, path):
        pair, reused = await idle.get(), True
        try:
            if pair and pair[0].at_eof():
                pair[1].close()
                pair = None
            if pair is None:
                pair, reused = await self.connect(), False
                self.new += 1
            try:
                keep = await self.ask(pair, path, True, reused)
            except Stale:
                self.again += 1
                pair[1].close()
                pair = await self.connect()
                self.new += 1
                keep = await self.ask(pair, path, True)
            if not keep:
                pair[1].close()
                pair = None
        except BaseException:
            if pair:
                pair[1].close()
            pair = None
            raise
        finally:
            idle.put_nowait(pair)

    async def timed(self, work):
        start = time.monotonic()
        try:
            await asyncio.wait_for(work, LIMIT)
        except Exception as error:
            self.failed.append(f"{time.strftime('%T')} after {time.monotonic() - start:.3f} s: {error!r}")
        self.times.append(time.monotonic() - start)

    async def run(self):
        idle = asyncio.Queue()
        for _ in range(KEPT):
            idle.put_nowait(None)
        start, count, tasks = time.monotonic(), 0, set()
        while not self.stop.is_set():
            path = self.paths[count // 2 % len(self.paths)]
            if count % 2:
                self.kept += 1
                work = self.on_kept(idle, path)
            else:
                self.fresh += 1
                work = self.on_new(path)
            task = asyncio.create_task(self.timed(work))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            count += 1
            await asyncio.sleep(max(0, start + count / self.rate - time.monotonic()))
        took = time.monotonic() - start
        await asyncio.gather(*tasks)
        times = sorted(self.times)
        at = lambda share: times[min(len(times) - 1, int(share * len(times)))] * 1000  # noqa: E731
        print(
            f"{count} requests in {took:.0f} s ({count / took:.0f} a second), {self.fresh} on connections of their own, "
            f"{self.kept} on {self.new} kept ones; {len(self.failed)} failed, {self.again} again; "
            f"ms: median {at(0.5):.1f}, 99 % {at(0.99):.0f}, longest {at(1):.0f}"
        )
        for line in self.failed[:10]:
            print(line)
        return 1 if self.failed else 0


async def main():
    address, rate, *paths = sys.argv[1:]
    load = Load(address, float(rate), paths)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, load.stop.set)
    return await load.run()


sys.exit(asyncio.run(main()))
