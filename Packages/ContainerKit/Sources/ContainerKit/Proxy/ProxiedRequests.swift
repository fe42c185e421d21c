// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import HTTPTypes
internal import LoopbackServer
internal import ResourceLoading

/// The requests that come by the proxy: what of them is seen, whose they are, and what answers them.
struct ProxiedRequests: ResourceLoading, InterceptPolicy {
    let path: RequestPath
    let pages: OpenPages

    func opens(_ target: HostPort) -> Bool {
        // Which of both it is shows with its first byte; most are of the scheme that the port is for.
        let scheme = target.port == 80 ? "http" : "https"
        return path.opens(
            originOf: HTTPRequest(method: .get, scheme: scheme, authority: target.authority(of: scheme), path: "/"))
    }

    func complete(_ request: inout ResourceRequest) {
        pages.attribute(&request)
    }

    func promptAnswer(to request: ResourceRequest) -> PromptAnswer {
        path.promptAnswer(toProxied: request)
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        try await path.answer(proxied: request)
    }
}

extension HostPort {
    /// As URLs of a scheme have it: without the port where it is the scheme's own.
    fileprivate func authority(of scheme: String) -> String {
        let text = description
        let ending = scheme == "http" ? ":80" : ":443"
        return text.hasSuffix(ending) ? String(text.dropLast(ending.count)) : text
    }
}
