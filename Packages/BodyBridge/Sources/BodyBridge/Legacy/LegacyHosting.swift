// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import ResourceLoading

/// What the bridge of older pages asks its container.
///
/// Isolation: the main actor. The answers are waited for by the page: they have to be there at once.
@MainActor
public protocol LegacyHosting: AnyObject {
    /// The real origin of a document; `nil` where it has none that may hand anything over.
    /// - Parameter url: as the engine names it.
    func origin(ofDocument url: String) -> WebOrigin?
    /// What a cookie message comes to as an assignment to `document.cookie`, which the document's own script then makes.
    /// - Parameters:
    ///   - message: JSON.
    ///   - url: the document's, as the engine names it.
    /// - Throws: where there is no such message, or the document may not set such a cookie.
    func cookieLine(of message: Data, fromDocument url: String) throws -> String
    /// The answer to a request that was made ahead, as the page gets it. Here the page does not wait: it asks again.
    /// - Parameters:
    ///   - message: `{"url": …, "method": …, "body": …}`.
    ///   - origin: of the document that asks.
    ///   - bridge: that of its view.
    /// - Returns: JSON, `{"status": …, "headers": …, "body": …}`; `nil` where there is nothing.
    /// - Throws: where it is no such message.
    func prefetched(_ message: Data, for origin: WebOrigin, by bridge: LegacyBridge) async throws -> Data?
}
