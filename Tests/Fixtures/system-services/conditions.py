#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ContainerKit authors
"""Runs `engine-harness conditions` on a private system bus, changes mock services, and compares the reported lines.

    conditions.py SCENARIO HARNESS

Needs python3-dbusmock, libglib2.0-bin and dbus-daemon. Exit status: 0 all lines are as expected, 1 a line is missing.
Every process that the script starts is ended by its identifier.
"""

import os
import queue
import subprocess
import sys
import tempfile
import threading
import time

NETWORK = ("org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager")
POWER = ("net.hadess.PowerProfiles", "/net/hadess/PowerProfiles")
MEMORY = ("org.freedesktop.LowMemoryMonitor", "/org/freedesktop/LowMemoryMonitor")
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><keep_umask/><listen>unix:dir={folder}</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""
# The time limit of each step, in seconds.
LIMIT = 20


class Failure(Exception):
    pass


class System:
    """A private bus with mock services, and the harness on it."""

    def __init__(self, folder, has_bus=True):
        self.folder = folder
        self.processes = []
        self.environment = dict(os.environ)
        self.bus = None
        if has_bus:
            config = os.path.join(folder, "bus.conf")
            with open(config, "w", encoding="utf-8") as file:
                file.write(BUS.format(folder=folder))
            self.bus = self.start(
                ["dbus-daemon", "--nofork", "--nopidfile", "--print-address=1", f"--config-file={config}"],
                stdout=subprocess.PIPE)
            address = self.bus.stdout.readline().decode().strip()
        else:
            address = f"unix:path={folder}/none"
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = address

    def start(self, command, **options):
        process = subprocess.Popen(command, env=self.environment, **{"stdin": subprocess.DEVNULL, **options})
        self.processes.append(process)
        return process

    def end(self, process):
        if process in self.processes:
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
        name, path = service
        subprocess.run(
            ["gdbus", "call", "--system", "-d", name, "-o", path, "-m", method, *arguments], env=self.environment,
            check=True, stdout=subprocess.DEVNULL, timeout=LIMIT)

    def mock(self, template, service):
        process = self.start(
            [sys.executable, "-m", "dbusmock", "--system", "-t", template], stdout=subprocess.DEVNULL)
        subprocess.run(
            ["gdbus", "wait", "--system", "--timeout", str(LIMIT), service[0]], env=self.environment, check=True,
            timeout=2 * LIMIT)
        return process

    def network_manager(self):
        process = self.mock("networkmanager", NETWORK)
        # The template lacks these properties. A JSON number would be a signed integer.
        self.call(NETWORK, "org.freedesktop.DBus.Mock.AddProperties", NETWORK[0],
                  "{'Metered': <uint32 0>, 'PrimaryConnectionType': <''>}")
        # Only an update of the properties is signalled.
        self.set_network(Metered="uint32 4", PrimaryConnectionType="'802-11-wireless'")
        return process

    def set_network(self, **values):
        text = ", ".join(f"'{name}': <{value}>" for name, value in values.items())
        self.call(NETWORK, "org.freedesktop.DBus.Mock.UpdateProperties", NETWORK[0], f"{{{text}}}")


class Harness:
    """The program under test."""

    def __init__(self, system, program):
        self.process = system.start(
            [program, "conditions"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines = queue.Queue()
        self.seen = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def expect(self, line):
        """Waits for a line. Other lines before it are intermediate states."""
        end = time.monotonic() + LIMIT
        while True:
            try:
                found = self.lines.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                found = None
            self.seen.append(found)
            if found == line:
                return
            if found is None:
                raise Failure(f"expected '{line}', found {self.seen}, status {self.process.poll()}")

    def expect_now(self, line):
        """Asks for the current state, which proves that the process and its main loop run."""
        while not self.lines.empty():
            self.seen.append(self.lines.get())
        self.process.stdin.write("\n")
        self.expect(line)

    def finish(self):
        self.process.stdin.close()
        status = self.process.wait(LIMIT)
        if status != 0:
            raise Failure(f"exit status {status} after {self.seen}")


def no_bus(system, harness):
    harness.expect("idle unknown unknown plenty normal")
    harness.expect_now("idle unknown unknown plenty normal")


def no_services(system, harness):
    no_bus(system, harness)
    # A service that starts later is read, and one that ends is forgotten.
    network = system.network_manager()
    harness.expect("idle unmetered wifi plenty normal")
    system.end(network)
    harness.expect("idle unknown unknown plenty normal")


def services(system, harness):
    harness.expect("idle unmetered wifi plenty normal")
    system.set_network(Metered="uint32 1", PrimaryConnectionType="'gsm'")
    harness.expect("idle metered cellular plenty normal")
    system.set_network(Metered="uint32 0")
    harness.expect("idle unknown cellular plenty normal")
    system.set_network(Metered="uint32 2", PrimaryConnectionType="'802-3-ethernet'")
    harness.expect("idle unmetered wired plenty normal")
    system.call(NETWORK, "org.freedesktop.DBus.Mock.SetConnectivity", "uint32 3")
    harness.expect("idle unknown wired plenty normal")
    system.set_network(Connectivity="uint32 1", PrimaryConnectionType="''")
    harness.expect("idle none unknown plenty normal")
    system.set_network(Connectivity="uint32 4", PrimaryConnectionType="'vpn'")
    harness.expect("idle unmetered other plenty normal")
    system.call(POWER, "org.freedesktop.DBus.Mock.UpdateProperties", POWER[0], "{'ActiveProfile': <'power-saver'>}")
    harness.expect("idle unmetered other low normal")
    system.call(POWER, "org.freedesktop.DBus.Mock.UpdateProperties", POWER[0], "{'ActiveProfile': <'balanced'>}")
    harness.expect("idle unmetered other plenty normal")
    system.call(MEMORY, "org.freedesktop.DBus.Mock.EmitWarning", "byte 100")
    harness.expect("idle unmetered other plenty warning")
    system.call(MEMORY, "org.freedesktop.DBus.Mock.EmitWarning", "byte 255")
    harness.expect("idle unmetered other plenty critical")


def bus_ends(system, harness):
    harness.expect("idle unmetered wifi plenty normal")
    system.end(system.bus)
    harness.expect("idle unknown unknown plenty normal")
    harness.expect_now("idle unknown unknown plenty normal")


SCENARIOS = {"noBus": no_bus, "noServices": no_services, "services": services, "busEnds": bus_ends}


def main(scenario, program):
    with tempfile.TemporaryDirectory(prefix="ck-bus.") as folder:
        system = System(folder, has_bus=scenario != "noBus")
        try:
            if scenario in ("services", "busEnds"):
                system.network_manager()
                system.mock("power_profiles_daemon", POWER)
                system.mock("low_memory_monitor", MEMORY)
            harness = Harness(system, program)
            SCENARIOS[scenario](system, harness)
            harness.finish()
        finally:
            system.end_all()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Failure, subprocess.SubprocessError, OSError) as failure:
        sys.exit(f"conditions.py: {failure}")
