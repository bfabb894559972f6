"""What the load scripts share: connections that stay open, requests, instances, figures of the server."""
import asyncio
import json
import os
import re
import urllib.parse
import zlib

APPLICATIONS = 200
BASE = urllib.parse.urlsplit(os.environ.get("EUREKA_URL", "http://127.0.0.1:8761/eureka/"))


class Connection:
    """Keep-alive HTTP/1.1, one request at a time; opens itself anew when it was closed."""

    def __init__(self, host=BASE.hostname, port=BASE.port):
        self.host, self.port = host, port
        self.reader = self.writer = None

    async def ask(self, method, path, body=b"", headers=""):
        """The status and the body; 0 and the reason if there was no answer."""
        try:
            if self.writer is None:
                self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
            return await self._ask(method, path, body, headers)
        except (OSError, asyncio.IncompleteReadError) as error:
            self.close()
            return 0, repr(error).encode()

    async def _ask(self, method, path, body, headers):
        head = f"{method} {path} HTTP/1.1\r\nHost: eureka\r\nAccept: application/json\r\n{headers}"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.writer.write(head.encode() + b"\r\n" + body)
        answer = await self.reader.readuntil(b"\r\n\r\n")
        status = int(answer[9:12])
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", answer)
        if re.search(rb"(?i)\r\ntransfer-encoding: *chunked", answer):
            content = await self._chunks()
        else:
            content = await self.reader.readexactly(int(length[1])) if length else b""
        if re.search(rb"(?i)\r\nconnection: *close", answer):
            self.close()
        return status, content

    async def _chunks(self):
        content = b""
        while size := int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16):
            content += (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readuntil(b"\r\n")
        return content

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


class Pool:
    """A few connections for many requests."""

    def __init__(self, size, *where):
        self.free = asyncio.Queue()
        for _ in range(size):
            self.free.put_nowait(Connection(*where))

    async def ask(self, *request):
        connection = await self.free.get()
        try:
            return await connection.ask(*request)
        finally:
            self.free.put_nowait(connection)


def app_of(name):
    """The application of an instance."""
    return f"SERVICE-{zlib.crc32(name.encode()) % APPLICATIONS:04}"


def path_of(name):
    return f"{BASE.path}apps/{app_of(name)}/{name}"


async def register(pool, name, interval, duration, app=None, **members):
    """Registers what a Spring application would, about a kilobyte; `members` take the place of its own."""
    app = app or app_of(name)
    url = f"http://{name}.example:8080"
    instance = {
        "instanceId": name, "hostName": f"{name}.example", "app": app, "ipAddr": "192.0.2.1", "status": "UP",
        "overriddenStatus": "UNKNOWN", "port": {"$": 8080, "@enabled": "true"},
        "securePort": {"$": 443, "@enabled": "false"}, "countryId": 1,
        "dataCenterInfo": {"@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", "name": "MyOwn"},
        "leaseInfo": {"renewalIntervalInSecs": interval, "durationInSecs": duration},
        "metadata": {"management.port": "8080", "zone": "zone-1", "version": "1.4.2"},
        "homePageUrl": f"{url}/", "statusPageUrl": f"{url}/actuator/info",
        "healthCheckUrl": f"{url}/actuator/health", "vipAddress": app.lower(), "secureVipAddress": app.lower(),
        "isCoordinatingDiscoveryServer": "false", "lastUpdatedTimestamp": "1", "lastDirtyTimestamp": "1",
        **members,
    }
    body = json.dumps({"instance": instance}, separators=(",", ":")).encode()
    return await pool.ask("POST", f"{BASE.path}apps/{app}", body)


async def figures(connection):
    """The server's metrics, by name and labels."""
    root = BASE.path[: -len("eureka/")]
    status, page = await connection.ask("GET", f"{root}metrics")
    assert status == 200, f"metrics: {status} {page[:200]}"
    lines = (line.rsplit(" ", 1) for line in page.decode().splitlines() if line and line[0] != "#")
    return {name: float(value) for name, value in lines}
