// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import HTTPTypes
import LoopbackServer
import ResourceLoading

@testable import LoopbackInterception

/// A pipeline that responds to each request with status 200, or fails, and records the requesters.
final class FakePipeline: LoopbackPipeline {
    struct State {
        var requesters: [[String]?] = []
        var requests: [HTTPRequest] = []
        var error: ResourceError?
        var status = HTTPResponse.Status.ok
        var fields: HTTPFields = [:]
    }

    let state = Mutex(State())
    let distinguishesRequesters: Bool
    /// The origins whose requests are intercepted, such as `https://a.example`.
    let hosts: Set<String>

    init(hosts: Set<String> = [], distinguishesRequesters: Bool = false) {
        self.hosts = hosts
        self.distinguishesRequesters = distinguishesRequesters
    }

    var requesters: [[String]?] { state.withLock(\.requesters) }
    var requests: [HTTPRequest] { state.withLock(\.requests) }

    func opens(originOf request: HTTPRequest) -> Bool {
        hosts.contains("\(request.scheme ?? "")://\(request.authority ?? "")")
    }

    func blocks(_ request: ResourceRequest) -> Bool { request.head.path == "/blocked" }

    func immediateResponse(loopback request: ResourceRequest, of requesters: [String]?) -> ImmediateResult {
        state.withLock { $0.requesters.append(requesters) }
        return .known(nil)
    }

    nonisolated(nonsending) func answer(
        loopback request: ResourceRequest, of requesters: [String]?
    ) async throws -> ResourceResponse? {
        let (error, head) = state.withLock { state in
            state.requesters.append(requesters)
            state.requests.append(request.head)
            return (state.error, HTTPResponse(status: state.status, headerFields: state.fields))
        }
        if let error { throw error }
        return ResourceResponse(
            head: head, body: .empty, provenance: Provenance(.network, reason: "a test"))
    }
}

/// A host that records the events and calls that it receives.
@MainActor
final class RecordedHost: LoopbackHost {
    var events: [LoopbackEvent] = []
    /// The names of the calls about requests, in order.
    var calls: [String] = []

    /// The results of proofs of the proxy, in order.
    var proofs: [Bool] = []

    func loopbackDidSend(_ event: LoopbackEvent) { events.append(event) }

    func proxyProofDidChange(isProven: Bool) { proofs.append(isProven) }

    func requestDidEnd(_ record: RequestRecord) { calls.append("ended \(record.url)") }

    func generation(_ generation: GenerationReference, didAnswer page: PageReference) {
        calls.append("answered \(page.documentURL)")
    }
}

/// An observer that records the requests and responses that it receives.
final class RecordedRequests: LoopbackRequestObserver {
    private let state = Mutex<[String]>([])

    var calls: [String] { state.withLock { $0 } }

    private func add(_ call: String) { state.withLock { $0.append(call) } }

    func documentWasRequested(_ request: HTTPRequest) { add("requested \(request.urlText)") }
    func documentWasAnswered(_ url: String) { add("answered \(url)") }
    func documentFailed(_ url: String, because error: ResourceError) { add("failed \(url) \(error.code)") }
    func record(_ report: LoopbackDocumentReport) { add("body \(report.hasBody) empty \(report.isEmpty)") }
}

/// Bodies whose identifier is the field `X-Body`. The engine has a stand-in for that with the name `stand-in`.
final class FakeBodies: LoopbackBodies {
    static let field = HTTPField.Name("X-Body")

    func isCarried(by request: ResourceRequest) -> Bool {
        Self.field.map(request.head.headerFields.contains) ?? false
    }

    @MainActor func complete(_ request: inout ResourceRequest) throws -> Bool {
        guard let field = Self.field else { return false }
        guard request.head.headerFields[field] != "none" else { throw ResourceError(.blocked, "no body") }
        defer { request.head.headerFields[field] = nil }
        return request.head.headerFields[field] == "stand-in"
    }
}
