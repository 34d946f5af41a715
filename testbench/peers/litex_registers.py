"""Reads every register of a csr.csv by name with LiteX's own client and server.

usage: litex_registers.py CSR_CSV WORDS

WORDS is a JSON object of byte address to word: the card that the server stands in front of. Then
0xdeadbeef is written to the register `scratch`. Prints a JSON object: `registers` by name (address,
mode, value read), `constants`, `memories`, and `words` after the write.
"""

import contextlib
import json
import socket
import sys

from litex.tools.litex_client import RemoteClient
from litex.tools.litex_server import RemoteServer


class Table:
    """What the server talks to in the place of a card: words by byte address."""

    def __init__(self, words):
        self.words = words

    def open(self):
        pass

    def close(self):
        pass

    def read(self, addr, length=None, burst="incr"):
        count = 1 if length is None else length
        step = 4 if burst == "incr" else 0
        data = [self.words[addr + step * n] for n in range(count)]
        return data[0] if length is None else data

    def write(self, addr, data):
        for n, word in enumerate(data if isinstance(data, list) else [data]):
            self.words[addr + 4 * n] = word


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main(csr_csv, words):
    with open(words, encoding="utf-8") as file:
        table = Table({int(address): word for address, word in json.load(file).items()})
    port = free_port()
    # The server's thread talks whenever it likes.
    report_to, sys.stdout = sys.stdout, sys.stderr
    server = RemoteServer(table, "127.0.0.1", port)
    server.open()
    server.start(2)
    client = RemoteClient("127.0.0.1", port, csr_csv=csr_csv)
    client.open()
    registers = {
        name: [register.addr, register.mode, register.read()]
        for name, register in client.regs.d.items()
    }
    client.regs.scratch.write(0xDEADBEEF)
    written = client.regs.scratch.read()
    client.close()
    report = {
        "base": client.bases.nicforge,
        "registers": registers,
        "written": written,
        "constants": client.constants.d,
        "memories": {name: [m.base, m.size, m.type] for name, m in client.mems.d.items()},
        "words": table.words,
    }
    print(json.dumps(report), file=report_to)


main(*sys.argv[1:])
