// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
}
