# SPDX-License-Identifier: Apache-2.0
"""Asks the program `conformance_answers` (answers.c), and gives up on an answer that takes too long."""
import os
import selectors
import subprocess
import time


class Answers:
    """One process that answers question after question; it is started again where it ended or took too long."""

    def __init__(self, program, timeout):
        self.program, self.timeout, self.process, self.rest = program, timeout, None, b""

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.kill()
            self.process.wait()
        self.process, self.rest = None, b""

    def _lines(self, count, deadline):
        """So many lines, fewer where the process ended; TimeoutError where the time is up."""
        out, selector = self.process.stdout, selectors.DefaultSelector()
        selector.register(out, selectors.EVENT_READ)
        pieces, have = [self.rest], self.rest.count(b"\n")
        with selector:
            while have < count:
                if not selector.select(max(0, deadline - time.monotonic())):
                    raise TimeoutError
                piece = os.read(out.fileno(), 1 << 20)
                if not piece:
                    break
                pieces.append(piece)
                have += piece.count(b"\n")
        *lines, self.rest = b"".join(pieces).split(b"\n", count)
        return lines

    def ask(self, release, hosts, settings, files, sections):
        """({section: JSON text}, None), or (None, what went wrong)."""
        if not self.process:
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        question = [release, str(hosts), ",".join(sections), *(f"{k}={v}" for k, v in settings.items()), *files]
        deadline = time.monotonic() + self.timeout
        try:
            self.process.stdin.write("\t".join(question).encode() + b"\n")
            first = self._lines(1, deadline)
            if first and first[0] != b"ok":
                return None, first[0].decode(errors="replace")
            texts = self._lines(len(sections), deadline) if first else []
            if len(texts) == len(sections):
                return dict(zip(sections, texts)), None
            return None, f"the program ended with status {self.process.wait(5)}"
        except BrokenPipeError:
            return None, f"the program ended with status {self.process.wait(5)}"
        except TimeoutError:
            return None, f"no answer in {self.timeout:g} s"
        finally:
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.close()
