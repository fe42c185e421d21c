#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ContainerKit authors
"""A private message bus with mock services, for the other scripts of this folder.

Needs python3-dbusmock, libglib2.0-bin and dbus-daemon. Every process that is started here is ended by its identifier.
"""

import os
import subprocess
import sys

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>{kind}</type><keep_umask/><listen>unix:dir={folder}</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""
MOCK = "org.freedesktop.DBus.Mock"
# The time limit of each step, in seconds.
LIMIT = 20


class Failure(Exception):
    """A result is not as expected."""


class Bus:
    """A message bus of a kind, `system` or `session`, and the processes that were started with its address."""

    def __init__(self, kind, folder, exists=True):
        self.kind = kind
        self.processes = []
        self.environment = dict(os.environ)
        self.daemon = None
        address = f"unix:path={folder}/none"
        if exists:
            path = os.path.join(folder, "bus.conf")
            with open(path, "w", encoding="utf-8") as file:
                file.write(CONFIGURATION.format(kind=kind, folder=folder))
            self.daemon = self.start(
                ["dbus-daemon", "--nofork", "--nopidfile", "--print-address=1", f"--config-file={path}"],
                stdout=subprocess.PIPE)
            address = self.daemon.stdout.readline().decode().strip()
        self.environment[f"DBUS_{kind.upper()}_BUS_ADDRESS"] = address

    def start(self, command, **options):
        process = subprocess.Popen(command, env=self.environment, **{"stdin": subprocess.DEVNULL, **options})
        self.processes.append(process)
        return process

    def end(self, process):
        self.processes.remove(process)
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def end_all(self):
        while self.processes:
            self.end(self.processes[-1])

    def call(self, service, method, *arguments):
        """Calls a method of a service, which is a pair of its name and the path of its object."""
        subprocess.run(
            ["gdbus", "call", f"--{self.kind}", "-d", service[0], "-o", service[1], "-m", method, *arguments],
            env=self.environment, check=True, stdout=subprocess.DEVNULL, timeout=LIMIT)

    def mock(self, service, *arguments):
        """Starts a mock service and waits until it has its name."""
        process = self.start(
            [sys.executable, "-m", "dbusmock", f"--{self.kind}", *arguments], stdout=subprocess.DEVNULL)
        subprocess.run(
            ["gdbus", "wait", f"--{self.kind}", "--timeout", str(LIMIT), service[0]], env=self.environment, check=True,
            timeout=2 * LIMIT)
        return process
