// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

/// A store of cookies that is kept the same as others.
///
/// Reads and writes of different cookies may overlap; two writes of one cookie do not. A write that has thrown does not land
/// afterwards. The quirks of a store belong into its conformance: where an engine reports success for a cookie that it does
/// not keep, the conformance looks, and throws ``CookieRejection``.
public protocol CookieStoring: CookieClearing {
    /// What the store can say of a cookie.
    var representation: CookieRepresentation { get }

    /// All cookies, as they are at one moment during the call.
    /// - Throws: ``CookieStoreLoss`` where the store has lost cookies by itself since the last call; any other error for a
    ///   fault that may pass.
    func snapshot() async throws -> [Cookie]

    /// Stores a cookie in place of one with its identity. It is visible to pages and requests when the call returns.
    /// - Throws: ``CookieRejection`` where the store will never take it; any other error for a fault that may pass.
    func set(_ cookie: Cookie) async throws

    /// Removes a cookie, whatever its value; one that is not there is no error.
    func remove(_ identity: Cookie.Identity) async throws

    /// Says that something has changed, whoever changed it, and not what. Signals may come late, twice or as one for many
    /// changes; a change without any signal after it is not heard of. Taken once.
    func changes() async -> AsyncStream<Void>
}
