// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1
internal import ResourceLoading

/// What the connections of a proxy have in common.
struct ProxyParts: Sendable {
    static let challenge = "Basic realm=\"container\""

    let loader: any ResourceLoading
    let policy: any InterceptPolicy
    let observer: (any ProxyObserving)?
    let credentials: ProxyCredentials
    let leaves: LeafStore
    let dialer: Dialer
    let limits: InterceptingProxy.Limits

    /// Whether a request says who it is. Twice is not once: a reader after us might take the other one.
    func knows(_ head: HTTPRequestHead) -> Bool {
        let fields = head.headers["proxy-authorization"]
        return fields.count == 1 && credentials.match(fields[0])
    }

    /// What answers requests on a connection.
    func exchanges(for front: ExchangeFront, _ http: HTTPHandlers) -> [any ChannelHandler] {
        let pipelining = HTTPServerPipelineHandler()
        return [pipelining, ExchangeHandler(self, front, http, pipelining)]
    }

    func happened(_ event: ProxyEvent) {
        observer?.happened(event)
    }

    func refused(_ reason: ProxyRefusal) {
        observer?.happened(.refused(reason))
    }
}
