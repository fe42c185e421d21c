// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

@Suite("Redirect targets", .timeLimit(.minutes(1)))
struct RedirectTargetTests {
    private let start = "https://a.example/dir/page?q"

    /// Returns the request of the second hop.
    private func hop(to location: String) async throws -> HTTPRequest? {
        let site = Site([start: (302, location)])
        _ = try await RedirectFollower(site, names: .standard).load(
            subrequest(start, .get, [.authorization: "Basic eA=="]))
        let asked = site.receivedRequests
        #expect(asked.count == 2)
        return asked.last
    }

    @Test(
        "A Location is resolved as in engines",
        arguments: [
            ("/x", "https://a.example/x"), ("x", "https://a.example/dir/x"), ("../x", "https://a.example/x"),
            ("./", "https://a.example/dir/"), ("?y", "https://a.example/dir/page?y"),
            ("//b.example/x", "https://b.example/x"), ("https://b.example", "https://b.example/"),
            ("https://b.example:8443/x?y=z&a", "https://b.example:8443/x?y=z&a"), ("/x#y", "https://a.example/x"),
            ("/%2F%3F?%23", "https://a.example/%2F%3F?%23"), ("https://[::1]:8443/x", "https://[::1]:8443/x"),
            ("HTTPS://A.Example/X", "https://a.example/X"), ("https://a.example:443/x", "https://a.example/x"),
            ("https://user:secret@a.example/x", "https://a.example/x"),
            ("/%20|^?a[]=%20'^%", "https://a.example/%20|%5E?a[]=%20%27^%"),
            // As the URL standard specifies for http and https.
            ("https://a.example/x/../y", "https://a.example/y"),
            ("https://b.example/./x/%2e%2E/.", "https://b.example/"),
            ("https://b.example/../x?y/../z#/../", "https://b.example/x?y/../z"), ("%2e%2e/x", "https://a.example/x"),
            ("..\\x", "https://a.example/x"), ("/\\b.example\\x?y", "https://b.example/x?y"),
            ("https:/x", "https://a.example/x"), ("https:x", "https://a.example/dir/x"),
            ("https:///b.example/x", "https://b.example/x"), ("https:\\\\b.example", "https://b.example/"),
            ("https://a.example\\@b.example/", "https://a.example/@b.example/"),
        ])
    func resolution(location: String, target: String) async throws {
        #expect(try await hop(to: location)?.urlText == target)
    }

    @Test(
        "Credentials stay within the origin",
        arguments: [
            ("/x", true), ("https://a.example:443/x", true), ("HTTPS://A.EXAMPLE/x", true),
            ("https://u@a.example/x", true),
            ("https://a.example:444/x", false), ("https://b.a.example/x", false),
            ("https://a.example.evil.example/x", false), ("https://a.example@evil.example/x", false),
        ])
    func credentials(location: String, stay: Bool) async throws {
        #expect((try await hop(to: location)?.headerFields[.authorization] != nil) == stay)
    }

    @Test(
        "A target without http or without a host is refused, also for documents",
        arguments: [
            "file:///etc/passwd", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "about:blank",
            "blob:https://a.example/1", "other://b.example/", "ftp://b.example/", "https:///",
            "mailto:a@b.example",
        ], [ResourceRequest.Destination.document, .subresource, .unknown])
    func refused(location: String, destination: ResourceRequest.Destination) async throws {
        let site = Site([start: (302, location)])
        var request = try subrequest(start)
        request.destination = destination
        await #expect {
            try await RedirectFollower(site, names: .standard).load(request)
        } throws: {
            ($0 as? ResourceError)?.code == .invalidRequest
        }
        #expect(site.receivedRequests.count == 1)
    }
}
