// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1

extension ProxyConnection {
    /// One request and its answer.
    struct Exchange {
        let head: HTTPRequestHead
        /// Whether the connection serves another request after this one.
        var keepsAlive: Bool
        /// The request's last byte went upstream, or there is none.
        var isRequestEnded = false
        /// The answer's head went to the client.
        var isHeadSent = false

        init(_ head: HTTPRequestHead) {
            self.head = head
            self.keepsAlive = head.isKeepAlive
        }
    }
}
