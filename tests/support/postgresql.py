#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A private PostgreSQL server for tests: its own data in a temporary folder, a free port, fsync on, trust for this
machine.

As a module: Cluster(), with start, stop, kill and url. As a command:

    postgresql.py COMMAND [ARGUMENT...]     runs it with ORR_TEST_POSTGRESQL=postgresql://... and ends the server
    afterwards

The server never outlives the process that started it, even if that is killed (setpriv --pdeathsig). As root it runs as
the user postgres, for it refuses to run as root.
"""
import glob
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time


def binaries():
    """Debian keeps them by version, outside the PATH."""
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda f: int(f.split("/")[4]))
    found = shutil.which("initdb")
    return folders[-1] if folders else found and os.path.dirname(found)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="orr-pg-"))
        self.process, self.port, self.made = None, free_port(), 0
        self.user = []
        if os.geteuid() == 0:
            postgres = pwd.getpwnam("postgres")
            os.chown(self.folder, postgres.pw_uid, postgres.pw_gid)
            self.user = [f"--reuid={postgres.pw_uid}", f"--regid={postgres.pw_gid}", "--clear-groups"]
        self.folder.chmod(0o700)
        self._run(
            "initdb",
            "-D",
            self.folder / "data",
            "-U",
            "orrery",
            "--auth=trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        )
        self.start()

    def _command(self, program, *arguments):
        return ["setpriv", *self.user, "--pdeathsig=INT", f"{binaries()}/{program}", *map(str, arguments)]

    def _run(self, program, *arguments):
        done = subprocess.run(self._command(program, *arguments), capture_output=True, text=True, cwd="/")
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(self):
        """Returns when it answers. The port stays the same from start to start."""
        until = time.monotonic() + 60
        while True:
            if (
                self.process is None or self.process.poll() is not None
            ):  # also where the rest of a killed one was in the way
                with open(self.folder / "log", "ab") as log:
                    self.process = subprocess.Popen(
                        self._command(
                            "postgres",
                            "-D",
                            self.folder / "data",
                            "-k",
                            self.folder,
                            "-p",
                            self.port,
                            "-c",
                            "listen_addresses=127.0.0.1",
                            "-c",
                            "max_connections=60",
                            "-c",
                            "shared_buffers=16MB",
                            "-c",
                            "fsync=on",
                            "-c",
                            "full_page_writes=on",
                            "-c",
                            "recovery_init_sync_method=syncfs",
                        ),
                        stdout=log,
                        stderr=log,
                        cwd="/",
                    )
            if not subprocess.run(
                [f"{binaries()}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
            ).returncode:
                return
            if time.monotonic() > until:
                raise RuntimeError(
                    "PostgreSQL did not start:\n" + (self.folder / "log").read_text(errors="replace")[-3000:]
                )
            time.sleep(0.05)

    def end(self, number=signal.SIGINT):
        """SIGINT is its fast shutdown; SIGKILL is a crash, after which its workers end by themselves."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(timeout=60)

    def kill(self):
        self.end(signal.SIGKILL)

    def freeze(self, frozen):
        """Lets all its processes hang, as a server does that lost its disk or its network."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        for pid in [*children, self.process.pid]:
            os.kill(int(pid), signal.SIGSTOP if frozen else signal.SIGCONT)

    def sql(self, text, database="postgres"):
        return self._run("psql", "-h", "127.0.0.1", "-p", self.port, "-U", "orrery", "-d", database, "-qAtc", text)

    def url(self, database="postgres"):
        return f"postgresql://orrery@127.0.0.1:{self.port}/{database}"

    def new_database(self):
        """The URL of an empty schema, which is as good as a database of its own and made faster."""
        self.made += 1
        self.sql(f"CREATE SCHEMA test{self.made}")
        return f"{self.url()}?options=-csearch_path%3Dtest{self.made}"

    def close(self):
        try:
            self.end(signal.SIGQUIT)  # at once: nobody wants its data
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not binaries():
        print(f"skipped: {os.path.basename(sys.argv[1])} on PostgreSQL, because postgresql is not installed")
        return 77
    cluster = Cluster()
    try:
        return subprocess.run(sys.argv[1:], env=dict(os.environ, ORR_TEST_POSTGRESQL=cluster.url())).returncode
    finally:
        cluster.close()


if __name__ == "__main__":
    sys.exit(main())
