// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import ConnectTunnel
internal import HTTPSemantics
internal import HTTPTypes
internal import LoopbackServer
internal import PagePrefetch
internal import RequestPipeline
internal import ResourceLoading

/// The requests that come over loopback: what of them is seen, whose they are, and what answers them.
struct LoopbackRequests: ResourceLoader, InterceptPolicy {
    let path: RequestHandler
    let pages: PageAttributor
    /// What older pages have handed over, where the host wants that.
    let legacy: LegacyBridgeHost?
    /// What is learned from the engine's requests, where that is of use.
    var engineFields: EngineFields?
    /// Hears why documents cannot be had, before the engine does.
    var failures: DocumentFailures?
    /// Hears of documents, before their answers are there.
    var recordDocument: (@MainActor @Sendable (DocumentReport) -> Void)?

    /// What is to be known of a document before it is there.
    struct DocumentReport: Sendable {
        /// The page that it is for; `nil` where it may be any.
        let page: PageID?
        /// Whether it is asked for with a body.
        var hasBody = false
        /// Whether its server says that there is nothing to show.
        var isEmpty = false
        /// The real origin that is asked.
        private let origin: String?

        init(of request: ResourceRequest) {
            origin = Self.origin(of: request.head.urlText)
            page = request.page.flatMap { $0.confidence == .exact ? $0.page.id : nil }
        }

        /// Whether a real URL is of the origin that is asked.
        func isOf(_ url: String?) -> Bool {
            guard let url, let origin else { return false }
            return Self.origin(of: url) == origin
        }

        private static func origin(of url: String) -> String? {
            let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[1].isEmpty else { return nil }
            return parts[0].lowercased() + parts[2].prefix { !"/?#".contains($0) }.lowercased()
        }
    }

    func opens(_ target: HostPort) -> Bool {
        // What it will speak shows with its first byte only. On a port that is neither's own it may be both.
        let schemes = target.port == 443 ? [true] : target.port == 80 ? [false] : [true, false]
        return schemes.contains { isSecure in
            path.policy.opens(
                originOf: HTTPRequest(
                    method: .get, scheme: isSecure ? "https" : "http", authority: target.authority(isSecure: isSecure),
                    path: "/"))
        }
    }

    func complete(_ request: inout ResourceRequest) {
        pages.attribute(&request)
        if request.destination == .document { engineFields?.record(request.head) }
    }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        guard legacy?.messages.isCarried(by: request.head) != true else { return .later }
        return path.immediateResponse(loopback: request, of: askers(of: request))
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let wait = pages.began(request)
        defer { pages.ended(wait) }
        var report = DocumentReport(of: request)
        if request.destination == .document, ![.get, .head].contains(request.head.method) {
            report.hasBody = true
            await recordDocument?(report)
        }
        let response = try await receiving(request) { try await answer(request) }
        if request.destination == .document, response?.head.leavesDocumentEmpty == true {
            report.isEmpty = true
            await recordDocument?(report)
        }
        return response
    }

    private nonisolated(nonsending) func receiving(
        _ request: ResourceRequest, _ answer: () async throws -> ResourceResponse?
    ) async throws -> ResourceResponse? {
        guard let failures, request.destination == .document else { return try await answer() }
        do {
            let response = try await answer()
            failures.answered(request.head.urlText)
            return response
        } catch {
            failures.failed(request.head.urlText, because: ResourceError(error))
            throw error
        }
    }

    private nonisolated(nonsending) func answer(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let legacy, legacy.messages.isCarried(by: request.head) else {
            return try await path.answer(loopback: request, of: askers(of: request))
        }
        var request = request
        try await legacy.complete(&request)
        return try await path.answer(loopback: request, of: askers(of: request))
    }

    /// Which pages may ask, where it counts: `nil` where none are plain by their mode, and for documents, which ask for
    /// themselves.
    private func askers(of request: ResourceRequest) -> [String]? {
        path.policy.modes.havePlain && request.destination != .document ? pages.askers(of: request) : nil
    }
}
