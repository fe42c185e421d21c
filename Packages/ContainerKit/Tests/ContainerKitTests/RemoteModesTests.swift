// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import RemoteConfig
import RequestPipeline
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import RequestPipeline

@Suite("Modes of pages in remote config and the configuration", .timeLimit(.minutes(1)))
struct RemoteModesTests {
    private func named(_ url: String, by modes: PageModes) throws -> InterceptionMode? {
        modes.named(for: try #require(HTTPRequest(urlText: url)))
    }

    @Test("Remote config chooses among the modes in use, and cannot intercept pages that the host makes plain")
    func remoteConfig() throws {
        var modes = try PageModes(
            .loopbackProxy, [PageMode("a.example", .customScheme), PageMode("b.example", .plain)])
        let document = try RemoteConfigDocument(
            json: Data(
                #"""
                {"format":1,"version":1,"modes":[{"host":"*.example","mode":"server"},{"host":"a.example","mode":"proxy"},
                {"host":"b.example","mode":"scheme"},{"host":"c.example","mode":"scheme"},
                {"host":"d.example","mode":"scheme"},{"host":"d.example","mode":"configured"}]}
                """#.utf8))
        try modes.apply(document)
        #expect(modes.missing(in: document) == [.loopbackServer])
        let cases: [(String, InterceptionMode?)] = [
            ("a", .loopbackProxy), ("b", .plain), ("c", .customScheme), ("d", nil), ("x", nil),
        ]
        for (host, mode) in cases { #expect(try named("https://\(host).example/", by: modes) == mode, "\(host)") }
        #expect(document.mode(for: "https://c.example/") == .customScheme)
        #expect(document.mode(for: "https://d.example/") == .configured)
    }

    @Test("Incompatible modes, and more patterns than the limit, are errors of the container")
    @MainActor
    func unsupported() async throws {
        let fixture = Fixture()
        let pages = try PagePattern("a.example")
        for pageModes in [
            [PageMode(pages, .loopbackServer)], Array(repeating: PageMode(pages, .plain), count: 10_001),
        ] {
            let error = await #expect(throws: ContainerError.self) {
                try await fixture.container {
                    $0.pages.mode = .loopbackProxy
                    $0.pages.modes = pageModes
                }
            }
            #expect(error?.code == .unsupported)
        }
    }
}
