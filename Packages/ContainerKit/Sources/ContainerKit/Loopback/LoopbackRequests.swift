// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import ConnectTunnel
internal import HTTPTypes
internal import LoopbackServer
internal import ResourceLoading

/// The requests that come over loopback: what of them is seen, whose they are, and what answers them.
struct LoopbackRequests: ResourceLoading, InterceptPolicy {
    let path: RequestPath
    let pages: OpenPages
    /// What older pages have handed over, where the host wants that.
    let legacy: LegacyCare?
    /// What is learned from the engine's requests, where that is of use.
    var engineFields: EngineFields?

    func opens(_ target: HostPort) -> Bool {
        // What it will speak shows with its first byte only. On a port that is neither's own it may be both.
        let schemes = target.port == 443 ? [true] : target.port == 80 ? [false] : [true, false]
        return schemes.contains { isSecure in
            path.opens(
                originOf: HTTPRequest(
                    method: .get, scheme: isSecure ? "https" : "http", authority: target.authority(isSecure: isSecure),
                    path: "/"))
        }
    }

    func complete(_ request: inout ResourceRequest) {
        pages.attribute(&request)
        if request.destination == .document { engineFields?.note(request.head) }
    }

    func promptAnswer(to request: ResourceRequest) -> PromptAnswer {
        guard legacy?.messages.isCarried(by: request.head) != true else { return .later }
        return path.promptAnswer(overLoopback: request)
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let wait = pages.began(request)
        defer { pages.ended(wait) }
        guard let legacy, legacy.messages.isCarried(by: request.head) else {
            return try await path.answer(overLoopback: request)
        }
        var request = request
        try await legacy.complete(&request)
        return try await path.answer(overLoopback: request)
    }
}
