// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes

/// What makes two requests the same: method, URL and canonical body, and whether a document is asked for.
package struct RequestIdentity: Sendable, Hashable {
    /// A body as it is compared.
    package enum Body: Sendable, Hashable {
        case none
        /// The canonical form of a JSON value.
        case json([UInt8])
        /// What is no JSON, byte for byte.
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

    /// In upper case.
    let method: String
    /// Of ``PrefetchURL``.
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
