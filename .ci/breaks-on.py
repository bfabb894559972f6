#!/usr/bin/env python3
"""Stands in front of a node and breaks every connection on which a word comes, as a node does that dies of a record.

    .ci/breaks-on.py PORT PORT_OF_THE_NODE WORD
"""
import asyncio
import re
import sys
import zlib

listen, target, word = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode()


async def copy(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def serve(reader, writer):
    out = answers = None
    try:
        back, out = await asyncio.open_connection(writer.get_extra_info("sockname")[0], target)
        answers = asyncio.ensure_future(copy(back, writer))
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
            body = await reader.readexactly(int(length[1])) if length else b""
            plain = zlib.decompress(body, 47) if body[:2] == b"\x1f\x8b" else body
            if word in plain:
                return
            out.write(head + body)
            await out.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        if answers:
            answers.cancel()
        for end in (out, writer):
            if end:
                end.close()


async def main():
    async with await asyncio.start_server(serve, "0.0.0.0", listen) as server:
        await server.serve_forever()


asyncio.run(main())
