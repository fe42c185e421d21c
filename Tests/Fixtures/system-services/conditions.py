#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ContainerKit authors
"""Runs `engine-harness conditions` on a private system bus, changes mock services, and compares the reported lines.

    conditions.py SCENARIO HARNESS

Exit status: 0 all lines are as expected, 1 a line is missing.
"""

import queue
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from bus import LIMIT, MOCK, Bus, Failure  # noqa: E402

NETWORK = ("org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager")
POWER = ("net.hadess.PowerProfiles", "/net/hadess/PowerProfiles")
MEMORY = ("org.freedesktop.LowMemoryMonitor", "/org/freedesktop/LowMemoryMonitor")


class System(Bus):
    """A system bus."""

    def network_manager(self):
        process = self.mock(NETWORK, "-t", "networkmanager")
        # The template lacks these properties. A JSON number would be a signed integer.
        self.call(NETWORK, f"{MOCK}.AddProperties", NETWORK[0],
                  "{'Metered': <uint32 0>, 'PrimaryConnectionType': <''>}")
        # Only an update of the properties is signalled.
        self.set_network(Metered="uint32 4", PrimaryConnectionType="'802-11-wireless'")
        return process

    def set_network(self, **values):
        text = ", ".join(f"'{name}': <{value}>" for name, value in values.items())
        self.call(NETWORK, f"{MOCK}.UpdateProperties", NETWORK[0], f"{{{text}}}")

    def set_power(self, profile):
        self.call(POWER, f"{MOCK}.UpdateProperties", POWER[0], f"{{'ActiveProfile': <'{profile}'>}}")

    def warn_of_memory(self, level):
        self.call(MEMORY, f"{MOCK}.EmitWarning", f"byte {level}")


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
    system.set_network(Connectivity="uint32 3")
    harness.expect("idle unknown wired plenty normal")
    system.set_network(Connectivity="uint32 1", PrimaryConnectionType="''")
    harness.expect("idle none unknown plenty normal")
    system.set_network(Connectivity="uint32 4", PrimaryConnectionType="'vpn'")
    harness.expect("idle unmetered other plenty normal")
    system.set_power("power-saver")
    harness.expect("idle unmetered other low normal")
    system.set_power("balanced")
    harness.expect("idle unmetered other plenty normal")
    system.warn_of_memory(100)
    harness.expect("idle unmetered other plenty warning")
    system.warn_of_memory(255)
    harness.expect("idle unmetered other plenty critical")


def bus_ends(system, harness):
    harness.expect("idle unmetered wifi plenty normal")
    system.end(system.daemon)
    harness.expect("idle unknown unknown plenty normal")
    harness.expect_now("idle unknown unknown plenty normal")


SCENARIOS = {"noBus": no_bus, "noServices": no_services, "services": services, "busEnds": bus_ends}


def main(scenario, program):
    with tempfile.TemporaryDirectory(prefix="ck-bus.") as folder:
        system = System("system", folder, exists=scenario != "noBus")
        try:
            if scenario in ("services", "busEnds"):
                system.network_manager()
                system.mock(POWER, "-t", "power_profiles_daemon")
                system.mock(MEMORY, "-t", "low_memory_monitor")
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
