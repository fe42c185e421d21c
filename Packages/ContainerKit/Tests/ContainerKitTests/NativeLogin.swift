// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import WebEngine

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A login by URLSession whose cookies the pages of a container have.
@MainActor
struct NativeLogin<Engine: WebEngineDriver> {
    let container: Container<Engine>
    /// A session whose configuration has the storage of `configuration.network.cookies.native`.
    let session: URLSession

    /// Signs in. Pages that open afterwards have the cookies in their first navigation.
    func signIn(_ request: URLRequest) async throws -> Bool {
        let (_, response) = try await session.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { return false }
        // Pages that are open already have the cookies, too.
        await container.synchronizeCookies()
        return true
    }

    /// Signs out in the app, in its pages, and in all caches.
    func signOut() async throws {
        try await container.signOut(of: ["shop.example"])
    }
}
