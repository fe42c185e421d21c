// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes

/// The identity of a request: method, URL, canonical body, and whether it is for a document.
package struct RequestIdentity: Sendable, Hashable {
    /// A body in the form for comparison.
    package enum Body: Sendable, Hashable {
        case none
        /// The canonical form of a JSON value.
        case json([UInt8])
        /// A body that is not JSON, compared byte for byte.
        case other([UInt8])

        init(_ bytes: Data) {
            if bytes.isEmpty {
                self = .none
            } else if let value = try? JSONValue(json: bytes, maxDepth: 64) {
                self = .json(value.canonical)
            } else {
                self = .other(Array(bytes))
            }
        }
    }

    /// The method, in upper case.
    let method: String
    /// The text of a ``PrefetchURL``.
    let url: String
    let body: Body
    let isDocument: Bool

    package init(method: String, url: String, body: Body, isDocument: Bool) {
        self.method = method
        self.url = url
        self.body = body
        self.isDocument = isDocument
    }
}
