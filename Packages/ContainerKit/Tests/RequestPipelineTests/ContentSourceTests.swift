// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPSemantics
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

@testable import RequestPipeline

@Suite("Content sources")
struct ContentSourceTests {
    /// A source that responds to all requests below one URL with its name. It does not support engines that preflight.
    private struct NamedSource: ContentSource {
        let name: String
        var prefix = "https://shop.example/"
        var feature: FeatureSwitch?
        var semantics = SemanticsLoader.Options()

        func loader(for traits: EngineTraits) -> (any ResourceLoader)? {
            traits.preflights ? nil : NamedLoader(name: name, prefix: prefix)
        }

        func covers(_ request: HTTPRequest) -> Bool { request.urlText.hasPrefix(prefix) }

        func mayServe(originOf request: HTTPRequest) -> Bool { request.webOrigin == WebOrigin(url: prefix) }
    }

    private struct NamedLoader: ResourceLoader {
        let name: String
        let prefix: String

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            guard request.head.urlText.hasPrefix(prefix) else { return nil }
            return ResourceResponse(
                head: HTTPResponse(status: .ok), body: .bytes(.init(name.utf8)),
                provenance: Provenance(Provenance.Source(rawValue: name), reason: "a test"))
        }
    }

    private func answer(_ sources: ContentSources, _ url: String, preflights: Bool = false) async throws -> String? {
        let head = try #require(HTTPRequest(urlText: url))
        var traits = await FakeEngine().traits(in: .customScheme)
        traits.preflights = preflights
        return try await LoaderChain(sources.loaders(for: traits)).load(ResourceRequest(head))?.provenance.source
            .rawValue
    }

    @Test("The first source in the list with a response is used; an app can define its own kind of source")
    func order() async throws {
        let sources = ContentSources([
            NamedSource(name: "one", prefix: "https://shop.example/a"), NamedSource(name: "two"),
        ])
        #expect(try await answer(sources, "https://shop.example/a") == "one")
        #expect(try await answer(sources, "https://shop.example/b") == "two")
        #expect(try await answer(sources, "https://other.example/") == nil)
    }

    @Test(
        "A source that is off neither covers nor serves requests, but may serve its origin when it is on again")
    func switchedOff() async throws {
        let feature = FeatureSwitch()
        let sources = ContentSources([NamedSource(name: "one", feature: feature)])
        let request = try #require(HTTPRequest(urlText: "https://shop.example/a"))
        #expect(sources.cover(request) && sources.list(request) && sources.mayServe(originOf: request))
        feature.set(false)
        #expect(!sources.cover(request) && !sources.list(request) && !sources.mayServe(originOf: request))
        #expect(sources.mayServe(originOf: request, countsOff: true))
        #expect(try await answer(sources, request.urlText) == nil)
    }

    @Test("A source that does not support an engine has no loader for it; neighbours with equal options share a loader")
    func loaders() async throws {
        var folders = SemanticsLoader.Options()
        folders.redirectsToFolders = true
        let sources = ContentSources([
            NamedSource(name: "one"), NamedSource(name: "two"), NamedSource(name: "three", semantics: folders),
        ])
        let traits = await FakeEngine().traits(in: .customScheme)
        #expect(sources.loaders(for: traits).count == 2)
        #expect(try await answer(sources, "https://shop.example/a", preflights: true) == nil)
    }
}

@Suite("Dispositions")
struct DispositionTests {
    @Test("Bypasses by a switch, a rule or a plain page forbid content from packages; other bypasses do not")
    func forbidsContent() {
        #expect(!Disposition.intercept.forbidsContent)
        for reason in [RouteDecision.Reason.uncovered, .unreadable, .covered] {
            #expect(!Disposition.bypass(reason).forbidsContent)
        }
        for reason in [RouteDecision.Reason.off, .denied(0), .rule(3), .remoteRule(3), .veto(.off), .plainPage] {
            #expect(Disposition.bypass(reason).forbidsContent)
        }
        #expect("\(Disposition(RouteDecision(.pass, because: .rule(3))))" == "pass: rules[3]")
        for action in [RouteAction.intercept, .block(nil), .block(.gone)] {
            #expect(Disposition(RouteDecision(action, because: .rule(3))) == .intercept)
        }
    }
}
