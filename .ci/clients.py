"""Clients of a cluster who keep a book of what was acknowledged, and hold it against what the nodes list."""
import asyncio
import collections
import gzip
import json
import time

import load

BEAT, LEASE = 8, 30  # seconds
PATIENCE = 3  # seconds that an answer may take
# What a node says of its own, and of the copy that it has.
OWN = {"lastUpdatedTimestamp", "actionType"}


def app_of(name):
    """Newcomers have applications of their own: one of the same application counts as the replacement of one that is silent."""
    kind, number = name.rsplit("-", 1)
    return "%s-%d" % (kind.upper(), int(number) % 50)


def path_of(name):
    return "/eureka/apps/%s/%s" % (app_of(name), name)


class Node:
    """A node as clients know it."""

    def __init__(self, name, host, port=8761):
        self.name, self.host, self.port = name, host, port
        self.pool = load.Pool(32, host, port)
        self.avoided_until = 0.0  # it kept somebody waiting

    async def ask(self, method, path, body=b"", headers=""):
        """The status and the body; 0 where there was no answer."""
        return await self._bounded(lambda pool: pool.ask(method, path, body, headers))

    async def register(self, name, members):
        return await self._bounded(lambda pool: load.register(pool, name, BEAT, LEASE, app_of(name), **members))

    async def _bounded(self, request):
        connection = await self.pool.free.get()
        try:
            return await asyncio.wait_for(request(connection), PATIENCE)
        except asyncio.TimeoutError:
            connection.close()
            self.avoided_until = time.monotonic() + 5
            return 0, b"timed out"
        finally:
            self.pool.free.put_nowait(connection)

    async def listed(self):
        """What it lists, by id; None where it serves no lists."""
        status, body = await self.ask("GET", "/eureka/apps", headers="Accept-Encoding: gzip\r\n")
        if status != 200:
            return None
        if body[:2] == b"\x1f\x8b":
            body = gzip.decompress(body)
        applications = json.loads(body)["applications"]
        return {instance["instanceId"]: instance for app in applications["application"] for instance in app["instance"]}

    async def metric(self, name):
        """The sum of a metric over its labels."""
        _, page = await self.ask("GET", "/metrics")
        lines = (line.rsplit(" ", 1) for line in page.decode().splitlines() if line.startswith(name))
        return sum(float(value) for series, value in lines if series[len(name):][:1] in ("", "{"))


def content(instance):
    """An instance without what each node may see in its own way."""
    lease = {key: instance["leaseInfo"][key] for key in ("renewalIntervalInSecs", "durationInSecs")}
    return {**{key: value for key, value in instance.items() if key not in OWN}, "leaseInfo": lease}


class Fleet:
    """Instances, the last thing that was acknowledged of each, and clients that beat and read.

    They never register anything again, so what is in the lists in the end was never lost.
    """

    def __init__(self, nodes):
        self.nodes = nodes
        self.book = {}  # id: (status, override, metadata) or None: cancelled; several where any of them is right
        self.homes = {}  # id: the number of its node
        self.rooted = set()  # ids that no reader may miss
        self.turns = collections.defaultdict(asyncio.Lock)  # of one instance one thing after the other
        self.complaints = []
        self.lists = self.beats = 0
        self.tasks = []

    def usable(self, home):
        """A client's own node, and then the others; those that kept somebody waiting come last."""
        now = time.monotonic()
        order = [self.nodes[(home + step) % len(self.nodes)] for step in range(len(self.nodes))]
        return sorted(order, key=lambda node: node.avoided_until > now)

    async def insist(self, home, wanted, what, ask):
        """Asks one node after the other until one acknowledges it; a node that is being filled knows nobody yet."""
        for attempt in range(200):
            for node in self.usable(home):
                status, body = await ask(node)
                if status in wanted or (attempt and status == 404 and what == "cancel"):
                    return
                if status not in (0, 404, 503):
                    self.complaints.append("%s at %s: %d %r" % (what, node.name, status, body[:100]))
                    return
            await asyncio.sleep(0.1)
        self.complaints.append("%s: nobody acknowledged it" % what)

    # -- what clients and operators do; the book is written when it is acknowledged

    async def register(self, name, home, **members):
        members.setdefault("metadata", {"zone": "a"})
        dirty = str(int(time.time() * 1000))
        self.homes[name] = home
        async with self.turns[name]:
            await self.insist(home, [204], "register", lambda node: node.register(name, {**members, "lastDirtyTimestamp": dirty}))
            self.book[name] = [("UP", "UNKNOWN", members["metadata"])]

    async def metadata(self, name, home, key, value):
        path = "%s/metadata?%s=%s" % (path_of(name), key, value)
        async with self.turns[name]:
            await self.insist(home, [200], "metadata", lambda node: node.ask("PUT", path))
            self.book[name] = [(status, override, {**pairs, key: value}) for status, override, pairs in self.book[name]]

    async def order(self, name, home):
        path = path_of(name) + "/status?value=OUT_OF_SERVICE"
        async with self.turns[name]:
            await self.insist(home, [200], "order", lambda node: node.ask("PUT", path))
            self.book[name] = [("OUT_OF_SERVICE", "OUT_OF_SERVICE", pairs) for _, _, pairs in self.book[name]]

    async def clear(self, name, home):
        path = path_of(name) + "/status?value=UP"
        async with self.turns[name]:
            await self.insist(home, [200], "clear", lambda node: node.ask("DELETE", path))
            self.book[name] = [("UP", "UNKNOWN", pairs) for _, _, pairs in self.book[name]]

    async def cancel(self, name, home):
        self.rooted.discard(name)
        async with self.turns[name]:
            self.book[name] = None  # no heartbeats from now on
            await self.insist(home, [200], "cancel", lambda node: node.ask("DELETE", path_of(name)))

    async def both(self, name, homes, key):
        """Two nodes are told different things at once: afterwards either is right, and the same everywhere."""
        path = "%s/metadata?%s=" % (path_of(name), key)
        async with self.turns[name]:
            answers = await asyncio.gather(*(self.nodes[home].ask("PUT", "%sat-%d" % (path, home)) for home in homes))
            if [status for status, _ in answers] != [200] * len(homes):
                self.complaints.append("%s was not changed at both: %s" % (name, answers))
            self.book[name] = [
                (status, override, {**pairs, key: "at-%d" % home}) for status, override, pairs in self.book[name] for home in homes]

    # -- what goes on all the time

    def live(self):
        self.tasks += [asyncio.ensure_future(self._beat_all())]
        self.tasks += [asyncio.ensure_future(self._read(node)) for node in self.nodes]

    async def rest(self):
        for task in self.tasks:
            task.cancel()
        for result in await asyncio.gather(*self.tasks, return_exceptions=True):
            if isinstance(result, Exception) and not isinstance(result, asyncio.CancelledError):
                self.complaints.append("a client broke: %r" % result)
        self.tasks = []

    async def _beat_all(self):
        """Each instance beats every BEAT seconds, in its own tenth of a second."""
        parts, part, beating = BEAT * 10, 0, set()
        while True:
            begun = time.monotonic()
            due = [name for number, name in enumerate(self.homes) if number % parts == part and self.book.get(name)]
            beating = {task for task in beating if not task.done()}
            beating |= {asyncio.ensure_future(self._beat(name)) for name in due}
            part = (part + 1) % parts
            await asyncio.sleep(max(0, begun + 0.1 - time.monotonic()))

    async def _beat(self, name):
        path = path_of(name) + "?status=UP"
        for node in self.usable(self.homes[name]):
            status, _ = await node.ask("PUT", path)
            if status == 200:
                self.beats += 1
                return
            if status == 404 and self.book.get(name):
                # a node that is being filled knows nobody yet; a client would register again, which is not for this one
                await asyncio.sleep(1)
                status, _ = await node.ask("PUT", path)
                if status == 404 and self.book.get(name):
                    self.complaints.append("%s does not know %s" % (node.name, name))
                return

    async def _read(self, node):
        """Whoever serves a list has everybody in it who was there before."""
        while True:
            rooted = set(self.rooted)
            listed = await node.listed()
            if listed is not None:
                self.lists += 1
                missing = (rooted & self.rooted) - listed.keys()
                if missing:
                    self.complaints.append("%s listed without %d, such as %s" % (node.name, len(missing), min(missing)))
            await asyncio.sleep(0.5)

    # -- the verdict

    async def differences(self, without=(), alike=True):
        """What is not as the book says, or not the same everywhere (`alike`); the names in `without` do not count."""
        lists = await asyncio.gather(*(node.listed() for node in self.nodes))
        found = ["%s serves no list" % node.name for node, listed in zip(self.nodes, lists) if listed is None]
        if found:
            return found
        for node, listed in zip(self.nodes, lists):
            for name, right in self.book.items():
                if name in without:
                    continue
                there = listed.get(name)
                if right is None:
                    if there is not None:
                        found.append("%s: %s came back" % (node.name, name))
                elif there is None:
                    found.append("%s: %s is lost" % (node.name, name))
                elif (there["status"], there["overriddenStatus"], there["metadata"]) not in right:
                    found.append("%s: %s is %s %s %s, not %s" % (
                        node.name, name, there["status"], there["overriddenStatus"], there["metadata"], right))
        if not alike:
            return found
        first = {name: content(instance) for name, instance in lists[0].items() if name not in without}
        for node, listed in zip(self.nodes[1:], lists[1:]):
            other = {name: content(instance) for name, instance in listed.items() if name not in without}
            unequal = [name for name in first.keys() | other.keys() if first.get(name) != other.get(name)]
            found += ["%s and %s differ in %s" % (self.nodes[0].name, node.name, name) for name in unequal]
        return found

    async def equal(self, within, since, without=()):
        """Seconds until all nodes hold what was acknowledged; what is amiss if they do not in time."""
        while True:
            asked = time.monotonic()
            found = await self.differences(without)
            if not found:
                return asked - since, []
            if asked - since > within:
                return asked - since, found
            await asyncio.sleep(0.05)
