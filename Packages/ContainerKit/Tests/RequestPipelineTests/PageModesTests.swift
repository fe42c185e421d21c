// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine

@testable import RequestPipeline

@Suite("Modes of pages")
struct PageModesTests {
    private func named(_ url: String, by modes: PageModes) throws -> InterceptionMode? {
        modes.named(for: try #require(HTTPRequest(urlText: url)))
    }

    @Test("The last entry that matches scheme, host and path applies; other entries have no effect")
    func lastFits() throws {
        let modes = try PageModes(
            .loopbackProxy,
            [
                PageMode("*.shop.example", .customScheme), PageMode("https://m.shop.example/live/**", .plain),
                PageMode("m.shop.example/live/old/*", .loopbackProxy),
            ])
        let cases: [(String, InterceptionMode?)] = [
            ("https://a.shop.example/", .customScheme), ("https://m.shop.example/live/x", .plain),
            ("http://m.shop.example/live/x", .customScheme), ("https://m.shop.example/live/old/x?y", .loopbackProxy),
            ("https://M.Shop.Example./%6Cive/x", .plain), ("https://shop.example/", nil),
        ]
        for (url, mode) in cases { #expect(try named(url, by: modes) == mode, "\(url)") }
        #expect(modes.started == [.loopbackProxy, .customScheme] && modes.areSeveral && modes.havePlain)
        #expect(modes.movingOrigins == .customScheme && modes.chains == modes.started)
    }

    @Test("A single mode needs no list of modes, and the app's own requests have a chain even if all pages are plain")
    func one() throws {
        for mode in InterceptionMode.allCases {
            let modes = try PageModes(mode)
            #expect(!modes.areSeveral && !modes.havePlain && modes.standard == mode)
            #expect(modes.started == (mode == .plain ? [] : [mode]))
            #expect(modes.chains == [mode == .plain ? .customScheme : mode])
        }
        let both = try PageModes(.plain, [PageMode("a.example", .loopbackProxy), PageMode("b.example", .customScheme)])
        #expect(both.chains == [.customScheme, .loopbackProxy] && both.havePlain)
    }

    @Test("The fallback replaces the proxy until it is proven, for the standard mode, entries and remote entries")
    func fallback() throws {
        for (engine, mode) in [
            (InterceptionMode.document, InterceptionMode.document), (.customScheme, .customScheme),
            (.loopbackProxy, .customScheme), (.loopbackServer, .customScheme), (.plain, .customScheme),
        ] {
            var modes = try PageModes(.plain, [PageMode("a.example", .loopbackProxy)], provingProxyOr: engine)
            try modes.apply([(PagePattern("b.example"), .loopbackProxy), (PagePattern("c.example"), .plain)])
            #expect(modes.started == [.loopbackProxy, mode] && modes.chains.contains(mode))
            #expect(modes.movingOrigins == (mode == .customScheme ? .customScheme : nil))
            for isProven in [false, true, false] {
                modes.proxyProof?.set(isProven)
                let expected = isProven ? InterceptionMode.loopbackProxy : mode
                for host in ["a", "b"] { #expect(try named("https://\(host).example/", by: modes) == expected) }
                #expect(modes.available(.loopbackProxy) == expected)
            }
            for (url, isRequired) in [
                ("https://a.example/", true), ("https://b.example/", true), ("https://c.example/", false),
                ("https://d.example/", false),
            ] {
                #expect(modes.requiresProof(for: try #require(HTTPRequest(urlText: url))) == isRequired, "\(url)")
            }
        }
        let both = try PageModes(.document, [PageMode("a.example", .loopbackProxy)], provingProxyOr: .document)
        #expect(both.started == [.document, .loopbackProxy] && both.available(.loopbackProxy) == .document)
        let page = try #require(HTTPRequest(urlText: "https://b.example/"))
        let alone = try PageModes(.loopbackProxy, provingProxyOr: .document)
        #expect(alone.requiresProof(for: page) && alone.areSeveral && !alone.havePlain)
        for modes in [try PageModes(.loopbackProxy), try PageModes(.document, provingProxyOr: .document)] {
            #expect(modes.proxyProof == nil && modes.started.count == 1 && !modes.requiresProof(for: page))
            #expect(!modes.areSeveral)
            #expect(modes.available(.loopbackProxy) == .loopbackProxy)
        }
    }

    @Test("The loopback server can be combined with plain pages, and with no other mode")
    func server() throws {
        let plain = try PageModes(.loopbackServer, [PageMode("a.example", .plain)])
        #expect(plain.started == [.loopbackServer] && plain.movingOrigins == .loopbackServer)
        for (standard, other) in [
            (InterceptionMode.loopbackServer, InterceptionMode.customScheme), (.loopbackProxy, .loopbackServer),
        ] {
            let entry = try PageMode("a.example", other)
            let error = #expect(throws: PageModesError.self) { try PageModes(standard, [entry]) }
            #expect(error?.location?.contains(other.rawValue) == true)
        }
    }

    @Test("A handler on https gets the requests of all pages, so that the mode has no exceptions")
    func takeover() throws {
        let modes = try PageModes(.httpsTakeover)
        #expect(modes.started == [.httpsTakeover] && modes.movingOrigins == nil)
        for (standard, other) in [
            (InterceptionMode.httpsTakeover, InterceptionMode.plain), (.httpsTakeover, .httpsTakeover),
            (.customScheme, .httpsTakeover),
        ] {
            let entry = try PageMode("a.example", other)
            let error = #expect(throws: PageModesError.self) { try PageModes(standard, [entry]) }
            #expect(error?.message.contains("httpsTakeover") == true)
        }
    }

    @Test("Remote config chooses among the modes in use, and cannot intercept pages that the host makes plain")
    func remoteConfig() throws {
        var modes = try PageModes(
            .loopbackProxy, [PageMode("a.example", .customScheme), PageMode("b.example", .plain)])
        try modes.apply([
            (try PagePattern("*.example"), .loopbackServer), (try PagePattern("a.example"), .loopbackProxy),
            (try PagePattern("b.example"), .customScheme), (try PagePattern("c.example"), .customScheme),
            (try PagePattern("d.example"), .customScheme), (try PagePattern("d.example"), nil),
        ])
        let cases: [(String, InterceptionMode?)] = [
            ("a", .loopbackProxy), ("b", .plain), ("c", .customScheme), ("d", nil), ("x", nil),
        ]
        for (host, mode) in cases { #expect(try named("https://\(host).example/", by: modes) == mode, "\(host)") }
    }

    @Test("Invalid patterns, and more patterns than the limit, are refused")
    func refused() throws {
        #expect(throws: RouteError.self) { try PageMode("a b", .plain) }
        let pages = try PagePattern("a.example")
        let error = #expect(throws: PageModesError.self) {
            try PageModes(.plain, Array(repeating: PageMode(pages, .plain), count: 10_001))
        }
        #expect(error?.message.hasPrefix("modes of pages: ") == true)
    }
}
