// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Something that holds cookies, or what goes with them, and can be emptied: a store, or the vault of an account.
public protocol CookieClearing: Sendable {
    /// Removes what belongs to the scope, for good.
    func clear(_ scope: CookieScope) async throws
}
