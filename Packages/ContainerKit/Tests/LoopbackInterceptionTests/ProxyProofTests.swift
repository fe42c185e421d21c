// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import HTTPTypes
import Testing
import WebEngine
import WebEngineTesting
import WebSyntax

@testable import LoopbackInterception

/// The loads of a proof in an engine whose requests a test reports. The tests of ContainerKit use a real proxy.
@MainActor
@Suite("Loads of a proof", .timeLimit(.minutes(1)))
struct ProxyProofTests {
    private let engine = FakeEngine()
    private let arrivals = ProofArrivals()
    private let clock = ManualClock()

    /// Runs a proof.
    /// - Parameter answer: a closure that receives each load: the view, the host of its URL, and its number from 1.
    private func failure(
        _ answer: @escaping @MainActor (FakeView, String, Int) -> Void
    ) async -> ProxyProof.Failure? {
        var hosts: [String] = []
        engine.onLoad = { view, url in
            let host = String(url.dropFirst("https://".count).dropLast())
            #expect(url == "https://\(host)/" && ProofArrivals.isName(host) && !hosts.contains(host))
            hosts.append(host)
            answer(view, host, hosts.count)
        }
        defer { engine.onLoad = nil }
        return await ProxyProof(arrivals: arrivals, clock: clock).failure(of: engine)
    }

    private func fail(_ view: FakeView, _ host: String) {
        let url = "https://\(host)/"
        view.onSignal?(.failed(url: url, error: EngineError(.unknownHost, "no such host", at: url)))
    }

    @Test("Two names that arrive prove the proxy, and the hidden view ends")
    func proven() async {
        let failure = await failure { [arrivals] _, host, _ in arrivals.record(host) }
        #expect(failure == nil)
        #expect(engine.views.count == 1 && engine.views[0].hasEnded && engine.views[0].loads.count == 2)
        #expect(clock.sleeperCount == 0)
    }

    @Test("A load that ends without the arrival of its name proves nothing", arguments: 1...2)
    func missing(number: Int) async {
        let failure = await failure { [arrivals] view, host, load in
            if load != number { arrivals.record(host) }
            fail(view, host)
        }
        #expect(failure == (number == 1 ? .noRequest : .noSecondRequest))
        #expect(engine.views[0].hasEnded && engine.views[0].loads.count == number)
    }

    @Test("The first name is not the second, and other names and signals of other loads are ignored")
    func otherNames() async {
        var first = ""
        let failure = await failure { [arrivals] view, host, load in
            if load == 1 {
                arrivals.record(ProofArrivals.makeName())
                fail(view, ProofArrivals.makeName())
                #expect(!arrivals.hasArrived(host))
                first = host
                arrivals.record(host)
            } else {
                fail(view, first)
                arrivals.record(first)
                fail(view, host)
            }
        }
        #expect(failure == .noSecondRequest)
    }

    @Test("A document, a stop or the end of the process end a load", arguments: 0..<3)
    func ends(signal: Int) async {
        let failure = await failure { view, host, _ in
            let url = "https://\(host)/"
            view.onSignal?(.started(url: url))
            view.onSignal?(.committed(url: url))
            let end: ViewSignal =
                switch signal {
                case 0: .finished(url: url)
                case 1: .stopped(url: url)
                default: .processEnded(reason: "killed")
                }
            view.onSignal?(end)
        }
        #expect(failure == .noRequest)
    }

    @Test("Both loads together end at the time limit")
    func limit() async {
        let proof = Task { await failure { [arrivals] _, host, load in if load == 1 { arrivals.record(host) } } }
        await clock.sleepers(atLeast: 1)
        while engine.views.first?.loads.count != 2 { await Task.yield() }
        clock.advance(by: ProxyProof.limit - .milliseconds(1))
        #expect(engine.views[0].hasEnded == false)
        clock.advance(by: .milliseconds(1))
        #expect(await proof.value == .timedOut)
        #expect(engine.views[0].hasEnded)
    }

    @Test("The proxy intercepts no names of proofs, although it intercepts all other hosts")
    func notIntercepted() {
        let name = ProofArrivals.makeName()
        let others = ["a.invalid", "a.\(name)", String(name.dropFirst()), name.uppercased(), "\(name)."]
        let pipeline = FakePipeline(hosts: Set(([name] + others).map { "https://\($0)" }))
        let requests = LoopbackRequests(pipeline: pipeline, pages: PageAttributor())
        #expect(!requests.opens(HostPort(host: name, port: 443)))
        #expect(requests.opens(HostPort(host: "a.invalid", port: 443)))
        #expect(others.allSatisfy { !ProofArrivals.isName($0) })
    }
}
