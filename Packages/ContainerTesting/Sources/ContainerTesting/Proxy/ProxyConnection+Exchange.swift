// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1

extension ProxyConnection {
    /// One request and its response.
    struct Exchange {
        let head: HTTPRequestHead
        /// A Boolean value that indicates whether the connection serves another request after this one.
        var keepsAlive: Bool
        /// A Boolean value that indicates whether the end of the request was sent upstream.
        var isRequestEnded = false
        /// A Boolean value that indicates whether the response head was sent to the client.
        var isHeadSent = false

        init(_ head: HTTPRequestHead) {
            self.head = head
            self.keepsAlive = head.isKeepAlive
        }
    }
}
