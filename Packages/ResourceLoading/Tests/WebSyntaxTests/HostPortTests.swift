// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@Suite("Host and port of a tunnel")
struct HostPortTests {
    @Test(
        "The forms of CONNECT are parsed",
        arguments: [
            ("example.org:443", "example.org", 443), ("EXAMPLE.org:1", "example.org", 1),
            ("[2001:DB8::1]:8443", "2001:db8::1", 8_443), ("::1:80", "::1", 80),
            ("127.0.0.1:65535", "127.0.0.1", 65_535),
        ])
    func read(_ text: String, host: String, port: Int) throws {
        let target = try #require(HostPort(text))
        #expect(target.host == host)
        #expect(target.port == port)
    }

    @Test(
        "Invalid hosts and ports are rejected",
        arguments: [
            "", ":443", "example.org", "example.org:", "example.org:0", "example.org:65536", "example.org:+1",
            "user@example.org:443", "exa mple.org:443", "example.org/:443", "[::1:443", "::1]:443", "[]:443",
            "example.org:٤٤٣", "ex%61mple.org:443", String(repeating: "a", count: 300) + ":443",
        ])
    func refused(_ text: String) {
        #expect(HostPort(text) == nil)
    }

    @Test("The port may be missing if there is a default")
    func defaultPort() {
        #expect(HostPort("example.org", defaultPort: 80) == HostPort(host: "example.org", port: 80))
        #expect(HostPort("[::1]", defaultPort: 80) == HostPort(host: "::1", port: 80))
        #expect(HostPort("example.org:81", defaultPort: 80)?.port == 81)
    }

    @Test("The description has the form of URLs", arguments: ["example.org:443", "[::1]:80"])
    func written(_ text: String) {
        #expect(HostPort(text)?.description == text)
    }

    @Test("An authority omits the default port of its scheme")
    func authority() {
        let host = HostPort(host: "example.org", port: 443)
        #expect(host.authority(isSecure: true) == "example.org")
        #expect(host.authority(isSecure: false) == "example.org:443")
        #expect(HostPort(host: "::1", port: 80).authority(isSecure: false) == "[::1]")
    }
}
