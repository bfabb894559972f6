#!/usr/bin/env python3
"""Runs a command with EUREKA_OPEN: an address that passes everything on to EUREKA_URL with the password of
SPRING_SECURITY_USER_NAME. For the drivers' own checks, which know no credentials. SSL_CERT_FILE is whom it trusts."""
import base64
import os
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

target = urllib.parse.urlsplit(os.environ["EUREKA_URL"])
pair = "%s:%s" % (os.environ["SPRING_SECURITY_USER_NAME"], os.environ["SPRING_SECURITY_USER_PASSWORD"])
authorization = "Basic " + base64.b64encode(pair.encode()).decode()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class PassOn(BaseHTTPRequestHandler):
    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        headers["Authorization"] = authorization
        url = "%s://%s%s" % (target.scheme, target.netloc, self.path)
        request = urllib.request.Request(url, data=body, headers=headers, method=self.command)
        try:
            reply = opener.open(request)
        except urllib.error.HTTPError as refused:
            reply = refused
        said = reply.read()
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            if name.lower() not in ("connection", "content-length", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = answer

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), PassOn)
threading.Thread(target=server.serve_forever, daemon=True).start()
open_url = "http://127.0.0.1:%d%s" % (server.server_port, target.path)
sys.exit(subprocess.call(sys.argv[1:], env={**os.environ, "EUREKA_OPEN": open_url}))
