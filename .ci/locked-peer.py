#!/usr/bin/env python3
"""A stock Spring server as the only peer of a node that wants a password, over TLS in both directions.

    eval "$(.ci/certificates DIR)"; PYTHONPATH=KIT/lib .ci/locked-peer.py SERVER ENV_DIR LOGS

What happens at either node must show at the other, and nothing of it may have been refused. Prints PASS, FAIL, and
at last "N passed, N failed".
"""
import base64
import os
import subprocess
import sys

import interop
import java
from ports import Port

server, env_dir, logs = sys.argv[1:4]
tls = os.environ["TLS_DIR"]
USER, WORD, APP = "spring", "of-the-kit", "INTEROP-LOCKED"
START = 150  # seconds, on a busy machine
AUTHORIZATION = {"Authorization": "Basic " + base64.b64encode(("%s:%s" % (USER, WORD)).encode()).decode()}


class Locked(interop.Control):
    """The view of a node that wants a password."""

    def request(self, method, path, body=None, headers=None):
        return super().request(method, path, body, {**AUTHORIZATION, **(headers or {})})


class Node:
    def __init__(self, name, control, port, command, unset=()):
        self.name, self.control = name, control
        env = {key: value for key, value in os.environ.items() if not key.startswith(unset or ("-",))}
        with open(os.path.join(logs, "locked-%s.txt" % name), "w") as log:
            port.release()
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=env)

    def has(self, test, iid="i", seconds=30):
        """Waits until the instance is as it should be; None is that it is gone."""
        return interop.wait_until(lambda: test(self.control.instance(APP, iid)), seconds)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(25)
            except subprocess.TimeoutExpired:
                self.process.kill()


jar = java.build("server", env_dir)
checks = interop.Checks()
spring_held, own_held = Port(), Port()
spring_port, own_port = spring_held.number, own_held.number
spring_url, own_url = "https://localhost:%d/eureka/" % spring_port, "https://127.0.0.1:%d/eureka/" % own_port
ours = Node("heureka", Locked(own_url, 30), own_held, [
    server, "--port=%d" % own_port, "--server.address=127.0.0.1", "--eureka.instance.hostname=127.0.0.1",
    "--eureka.server.my-url=" + own_url, "--eureka.client.service-url.defaultZone=" + spring_url,
    "--eureka.client.tls.trust-certificate=%s/ca.crt" % tls, "--eureka.server.wait-time-in-ms-when-sync-empty=1000",
    "--eureka.server.security.users.%s.password=%s" % (USER, WORD), "--eureka.server.security.users.%s.roles=peer" % USER])
spring = Node("spring", interop.Control(spring_url, 30), spring_held, [
    "java", "-Xmx384m", "-jar", jar, "--server.port=%d" % spring_port, "--server.address=127.0.0.1",
    "--server.ssl.certificate=file:%s/node.crt" % tls, "--server.ssl.certificate-private-key=file:%s/node.key" % tls,
    "--eureka.instance.hostname=localhost", "--eureka.client.register-with-eureka=true", "--eureka.client.fetch-registry=true",
    "--eureka.client.service-url.defaultZone=" + own_url.replace("://", "://%s:%s@" % (USER, WORD)),
    "--eureka.client.registry-fetch-interval-seconds=2", "--eureka.client.initial-instance-info-replication-interval-seconds=2",
    "--eureka.client.instance-info-replication-interval-seconds=2", "--eureka.instance.lease-renewal-interval-in-seconds=2",
    "--eureka.server.enable-self-preservation=false", "--eureka.server.response-cache-update-interval-ms=1000",
    "--eureka.server.peer-node-read-timeout-ms=5000", "--eureka.server.peer-node-connect-timeout-ms=5000"], unset=("SERVER_SSL",))
def run():
    for node in (ours, spring):
        up = interop.wait_until(lambda: node.process.poll() is None and node.control.request("GET", "apps")[0] == 200, START, 0.3)
        if not checks.check("%s serves lists" % node.name, up, "see its log"):
            return
    checks.equal("without the password: 401", interop.Control(own_url, 1).request("GET", "apps")[0], 401)
    # Both are instances of one application.
    known = lambda: any(iid.endswith(":%d" % spring_port) for iid in ours.control.applications().get("EUREKA-SERVER", {}))
    checks.check("the Spring server has registered itself", interop.wait_until(known, 60))
    for here, there in ((ours, spring), (spring, ours)):
        what = "%s to %s: " % (here.name, there.name)
        here.control.register(APP, "i", 8080, metadata={"from": here.name})
        checks.check(what + "a registration", there.has(lambda i: i and i["metadata"].get("from") == here.name))
        here.control.set_status(APP, "i", "OUT_OF_SERVICE")
        checks.check(what + "an override", there.has(lambda i: i and i["status"] == "OUT_OF_SERVICE"))
        before = there.control.last_renewal(APP, "i")
        # Not too often: a Java server sends nothing before half a second has passed since the last heartbeat of an instance.
        interop.wait_until(lambda: here.control.request("PUT", "apps/%s/i" % APP)[0] == 200
                           and there.control.last_renewal(APP, "i") > before, 30, 1)
        checks.check(what + "heartbeats", there.control.last_renewal(APP, "i") > before)
        here.control.deregister(APP, "i")
        checks.check(what + "a cancellation", there.has(lambda i: i is None))
    page = Locked(own_url.replace("/eureka/", "/"), 1).request("GET", "metrics")[2].decode().splitlines()
    refused = {line.split()[0]: int(line.split()[1]) for line in page if line.startswith("eureka_auth_failures_total")}
    # The one without the password was this script.
    checks.equal("nothing that the Spring server sent was refused", sum(refused.values()),
                 refused.get('eureka_auth_failures_total{reason="missing"}') and 1)


try:
    run()
finally:
    for node in (ours, spring):
        node.stop()
checks.finish()
