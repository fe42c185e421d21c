// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar

extension CookieStoring {
    /// Removes cookies one by one, for stores that have no better way.
    public func clear(_ scope: CookieScope) async throws {
        for cookie in try await snapshot() where scope.contains(cookie.identity) {
            try await remove(cookie.identity)
        }
    }
}
