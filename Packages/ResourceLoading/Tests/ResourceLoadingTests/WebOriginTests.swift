// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import Testing

@Suite("Origins of URLs", .timeLimit(.minutes(1)))
struct WebOriginTests {
    @Test(
        "Only the default port of the scheme is removed",
        arguments: [
            ("https://h:443/a", "https://h"), ("https://h:80/", "https://h:80"), ("wss://h:443", "wss://h"),
            ("wss://h:80", "wss://h:80"), ("http://h:80", "http://h"), ("http://h:443", "http://h:443"),
            ("ws://h:80/socket", "ws://h"), ("ws://h:443", "ws://h:443"), ("app://h:443", "app://h:443"),
            ("app://h:80", "app://h:80"), ("app://h", "app://h"), ("https://u:p@[::1]:443", "https://[::1]"),
            ("HTTPS://H:443", "https://h"),
        ])
    func defaultPort(url: String, origin: String) {
        #expect(WebOrigin(url: url)?.description == origin)
        #expect(HTTPRequest(urlText: url)?.webOrigin?.description == origin)
    }

    @Test("A URL without a host has no origin", arguments: ["https://:443", "http://:80", "https:///a", "app://"])
    func missingHost(url: String) {
        #expect(WebOrigin(url: url) == nil)
    }
}
