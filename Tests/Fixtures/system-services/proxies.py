#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ContainerKit authors
"""Runs `engine-harness systemProxies` with settings of the system's proxy, and compares the routes.

    proxies.py SCENARIO HARNESS

GIO reads its settings once in a process, so that each case is a process. Exit status: 0 all routes are as expected, 1 a
route differs.
"""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from bus import LIMIT, MOCK, Bus, Failure  # noqa: E402

RUNNER = ("org.gtk.GLib.PACRunner", "/org/gtk/GLib/PACRunner")


class Session(Bus):
    """A session bus, and the harness on it."""

    def __init__(self, folder):
        super().__init__("session", folder)
        self.folder = folder
        for name in list(self.environment):
            if name.lower().endswith("_proxy") or name in ("XDG_CURRENT_DESKTOP", "GSETTINGS_BACKEND", "REQUEST_METHOD"):
                del self.environment[name]

    def expect(self, harness, routes, **variables):
        """Compares the routes to URLs. A route is `direct`, or the protocol and the place of a proxy."""
        result = subprocess.run(
            [harness, "systemProxies", *routes], env={**self.environment, **variables}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True, timeout=LIMIT, check=True)
        found = dict(line.split(" -> ") for line in result.stdout.splitlines() if " -> " in line)
        if found != routes:
            raise Failure(f"{variables}: expected {routes}, found {found}")

    def settings(self, text):
        """The variables of a desktop with settings in a file."""
        folder = os.path.join(self.folder, "glib-2.0/settings")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "keyfile"), "w", encoding="utf-8") as file:
            file.write(text)
        return {"GSETTINGS_BACKEND": "keyfile", "XDG_CONFIG_HOME": self.folder, "XDG_CURRENT_DESKTOP": "GNOME"}


def variables(session, harness):
    session.expect(harness, {"https://a.example/": "direct"})
    session.expect(
        harness, {"https://a.example/": "http p:3128", "https://sub.b.example/": "direct", "http://a.example/": "direct",
                  "https://10.1.2.3/": "direct", "https://c.example:8443/": "direct", "https://c.example/": "http p:3128"},
        https_proxy="p:3128", no_proxy=".b.example,10.0.0.0/8,c.example:8443")
    session.expect(harness, {"https://a.example/": "socks5 p:1080"}, ALL_PROXY="socks5h://p")
    session.expect(harness, {"https://a.example/": "direct"}, https_proxy="http://p:3128", NO_PROXY="*")
    session.expect(harness, {"https://a.example/": "error"}, https_proxy="socks4://p:3128")


def desktop(session, harness):
    environment = session.settings(
        "[system/proxy]\nmode='manual'\nignore-hosts=['b.example']\n"
        "[system/proxy/https]\nhost='desktop'\nport=3128\n[system/proxy/http]\nhost='plain'\nport=3129\n")
    # The settings of the desktop precede the variables.
    session.expect(
        harness, {"https://a.example/": "http desktop:3128", "http://a.example/": "http plain:3129",
                  "https://b.example/": "direct"}, https_proxy="http://p:3128", **environment)
    environment = session.settings("[system/proxy]\nmode='none'\n")
    session.expect(harness, {"https://a.example/": "direct"}, https_proxy="http://p:3128", **environment)


def script(session, harness):
    session.mock(RUNNER, *RUNNER, RUNNER[0])
    environment = session.settings("[system/proxy]\nmode='auto'\nautoconfig-url='http://p/proxy.pac'\n")

    def look_up(code):
        session.call(RUNNER, f"{MOCK}.AddMethod", RUNNER[0], "Lookup", "ss", "as", code)

    look_up("ret = ['http://pac:3128', 'direct://'] if args[0] == 'http://p/proxy.pac' and 'a.example' in args[1] "
            "else ['direct://']")
    session.expect(
        harness, {"https://a.example/": "http pac:3128, direct", "https://b.example/": "direct"}, **environment)
    look_up("raise dbus.exceptions.DBusException('no script', name='org.example.Error')")
    session.expect(harness, {"https://a.example/": "error"}, **environment)


SCENARIOS = {"variables": variables, "desktop": desktop, "script": script}


def main(scenario, harness):
    with tempfile.TemporaryDirectory(prefix="ck-bus.") as folder:
        session = Session(folder)
        try:
            SCENARIOS[scenario](session, harness)
        finally:
            session.end_all()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Failure, subprocess.SubprocessError, OSError) as failure:
        sys.exit(f"proxies.py: {failure}")
