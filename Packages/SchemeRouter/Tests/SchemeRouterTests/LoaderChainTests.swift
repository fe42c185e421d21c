// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing

@Suite("Loaders in order", .timeLimit(.minutes(1)))
struct LoaderChainTests {
    /// A loader with a fixed behavior that appends its name to a log.
    private struct Loader: ResourceLoader {
        enum Behaviour { case answers, passes, fails, waits }
        let name: String
        let behaviour: Behaviour
        let log: Log

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            log.names.withLock { $0.append(name) }
            switch behaviour {
            case .passes: return nil
            case .fails: throw ResourceError(.damaged, name)
            case .answers, .waits: return answer
            }
        }

        func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
            log.names.withLock { $0.append(name) }
            return switch behaviour {
            case .passes: .known(nil)
            case .fails, .waits: .later
            case .answers: .known(answer)
            }
        }

        private var answer: ResourceResponse {
            ResourceResponse(
                head: HTTPResponse(status: .ok), body: .empty, provenance: Provenance(.synthetic, reason: name))
        }
    }

    private final class Log: Sendable {
        let names = Mutex<[String]>([])
    }

    private let log = Log()
    private let request: ResourceRequest

    init() throws {
        request = ResourceRequest(try #require(HTTPRequest(urlText: "https://a.example/")))
    }

    private func loader(_ name: String, _ behaviour: Loader.Behaviour) -> Loader {
        Loader(name: name, behaviour: behaviour, log: log)
    }

    @Test("The first non-nil response is returned, and later loaders are not called")
    func order() async throws {
        let chain: LoaderChain = .first(
            of: loader("a", .passes), loader("b", .passes), loader("c", .answers), loader("d", .answers))
        #expect(try await chain.load(request)?.provenance.reason == "c")
        #expect(log.names.withLock { $0 } == ["a", "b", "c"])
    }

    @Test("An error ends the search")
    func failure() async throws {
        let chain = LoaderChain([loader("a", .passes), loader("b", .fails), loader("c", .answers)])
        await #expect {
            try await chain.load(request)
        } throws: {
            ($0 as? ResourceError)?.code == .damaged
        }
        #expect(log.names.withLock { $0 } == ["a", "b"])
    }

    @Test("The first non-nil immediate response is returned, unless a loader has to wait")
    func immediate() throws {
        func reason(_ loaders: Loader...) -> String? {
            guard case .known(let response) = LoaderChain(loaders).immediateResponse(to: request) else {
                return "later"
            }
            return response?.provenance.reason
        }
        #expect(reason(loader("a", .passes), loader("b", .answers), loader("c", .waits)) == "b")
        #expect(log.names.withLock { $0 } == ["a", "b"])
        #expect(reason(loader("a", .passes), loader("b", .waits), loader("c", .answers)) == "later")
        #expect(reason(loader("a", .passes)) == nil && reason() == nil)
    }

    @Test("A loader without immediate responses returns later")
    func silent() {
        struct Silent: ResourceLoader {
            func load(_ request: ResourceRequest) async throws -> ResourceResponse? { nil }
        }
        guard case .later = Silent().immediateResponse(to: request) else {
            Issue.record("known")
            return
        }
    }

    @Test("A chain returns nil if all its loaders do, also inside another chain")
    func nothing() async throws {
        #expect(try await LoaderChain([]).load(request) == nil)
        let inner = LoaderChain([loader("a", .passes)])
        let outer: LoaderChain = .first(of: inner, loader("b", .answers))
        #expect(try await outer.load(request)?.provenance.reason == "b")
        #expect(log.names.withLock { $0 } == ["a", "b"])
    }
}
