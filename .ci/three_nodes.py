"""Three nodes on free ports, each the others' peer, and clients of every kind that keep them busy."""
import gzip
import http.client
import json
import os
import signal
import subprocess
import threading

from ports import Port

STEADY = 30  # instances that beat all the time
ACCEPTS = ("application/json", "application/xml")


class Cluster:
    """The nodes by number from 0; `server` is the binary, `logs` a folder."""

    def __init__(self, server, logs):
        self.server, self.logs = server, logs
        self.held = [Port() for _ in range(3)]
        self.ports = [port.number for port in self.held]
        self.nodes = [None] * 3
        self.serving = {0, 1, 2}  # those that clients use: not one that is away or starting

    def start(self, number):
        peers = ",".join("http://127.0.0.1:%d/eureka/" % port for port in self.ports)
        with open(os.path.join(self.logs, "node%d.txt" % (number + 1)), "a") as log:
            self.held[number].release()
            self.nodes[number] = subprocess.Popen([
                self.server, "--port", str(self.ports[number]), "--server.address=127.0.0.1",
                "--eureka.client.service-url.defaultZone=" + peers,
                "--eureka.instance.hostname=127.0.0.1",
                "--eureka.server.wait-time-in-ms-when-sync-empty=2000",
                # a busy machine is no reason to turn anything away, and the formula's minute is too long for this
                "--eureka.server.shed-lag-in-ms=0",
                "--eureka.server.expected-client-renewal-interval-seconds=86400",
            ], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def end(self, number, how=signal.SIGKILL):
        self.serving.discard(number)
        node, self.nodes[number] = self.nodes[number], None
        if node:
            node.send_signal(how)
            node.wait(20)
            self.held[number].hold()

    def address(self, number):
        return "127.0.0.1:%d" % self.ports[number]

    def ask(self, number, method, path, body=None, **headers):
        """The status and the body; 0 if nobody answers."""
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.ports[number], timeout=10)
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            if answer.getheader("Content-Encoding") == "gzip":
                content = gzip.decompress(content)
            return answer.status, content
        except OSError:
            return 0, b""

    def register(self, number, app, name, interval=30, duration=90, port=8080, metadata=None):
        instance = {
            "instanceId": name, "app": app, "hostName": "127.0.0.1", "ipAddr": "127.0.0.1", "status": "UP",
            "port": {"$": port, "@enabled": "true"}, "vipAddress": app.lower(), "secureVipAddress": app.lower() + "-s",
            "dataCenterInfo": {"@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", "name": "MyOwn"},
            "leaseInfo": {"renewalIntervalInSecs": interval, "durationInSecs": duration},
            "metadata": metadata or {"zone": "a"},
        }
        body = json.dumps({"instance": instance})
        return self.ask(number, "POST", "/eureka/apps/" + app, body, Content_Type="application/json")[0]


class Clients(threading.Thread):
    """Does something of each kind on every node, again and again. `noisy` ends what a healthy fleet does not do."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster, self.noisy, self.over, self.rounds = cluster, True, threading.Event(), 0
        self.surprises = []  # what was answered otherwise than it should be

    def run(self):
        while not self.over.is_set():
            for number in sorted(self.cluster.serving):
                self.read(number)
                self.change(number)
                if self.noisy:
                    self.misbehave(number)
            self.beat()
            self.rounds += 1
            self.over.wait(0.3)

    def expect(self, statuses, number, method, path, body=None, **headers):
        status, _ = self.cluster.ask(number, method, path, body, **headers)
        if status not in statuses and number in self.cluster.serving:
            self.surprises.append("%s: node %d %s %s" % (status, number + 1, method, path))

    def beat(self):
        """Whose node is away beats at another."""
        for one in range(STEADY):
            serving = sorted(self.cluster.serving)
            number = serving[one % len(serving)]
            self.expect([200], number, "PUT", "/eureka/apps/SHOP-%d/shop-%d" % (one % 5, one))

    def read(self, number):
        paths = ["apps", "apps/delta", "apps/SHOP-0", "vips/shop-0", "svips/shop-0-s", "apps/SHOP-0/shop-0"]
        for path in paths:
            for accept in ACCEPTS:
                self.expect([200], number, "GET", "/eureka/" + path, Accept=accept)
        for path in paths[:2]:
            self.expect([200], number, "GET", "/eureka/" + path, Accept=ACCEPTS[0], Accept_Encoding="gzip")

    def change(self, number):
        own = "/eureka/apps/SHOP-%d/shop-%d" % (number, number)
        self.expect([200], number, "PUT", "%s/metadata?round=%d" % (own, self.rounds))
        if self.rounds % 2:
            self.expect([200], number, "PUT", own + "/status?value=OUT_OF_SERVICE")
            self.cluster.register(number, "PASSING", "passing-%d" % number)
        else:
            self.expect([200], number, "DELETE", own + "/status?value=UP")
            self.expect([200, 404], number, "DELETE", "/eureka/apps/PASSING/passing-%d" % number)

    def misbehave(self, number):
        for one in range(4):
            self.expect([404], number, "PUT", "/eureka/apps/NOBODY/nobody-%d" % one)
        self.expect([400], number, "POST", "/eureka/apps/SHOP-0", "{", Content_Type="application/json")
        self.expect([404], number, "GET", "/eureka/no/such/path")
