// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Facade) internal import CookieBridge
internal import ResourceLoading

/// The cookies with which requests are made ahead, by page: read once when a page is opened, and when it asks by a
/// message.
///
/// Isolation: any.
final class OpeningCookies: Sendable {
    private let readings = Mutex<[PageID: Task<PageCookies, any Error>]>([:])

    /// Begins to read.
    func read(for page: PageID, _ read: @escaping @Sendable () async throws -> PageCookies) {
        let reading = Task { try await read() }
        readings.withLock { $0[page] = reading }
    }

    /// Those of a page, when they have been read.
    /// - Throws: what the reading threw, or `ResourceError` where the page is closed.
    func cookies(of page: PageID) async throws -> PageCookies {
        guard let reading = readings.withLock({ $0[page] }) else {
            throw ResourceError(.cancelled, "the page is closed")
        }
        return try await reading.value
    }

    /// Returns when what was begun for a page is over, whatever came of it.
    /// - Returns: whether anything was.
    func waitUntilRead(for page: PageID) async -> Bool {
        guard let reading = readings.withLock({ $0[page] }) else { return false }
        _ = await reading.result
        return true
    }

    /// The page is closed.
    func forget(_ page: PageID) {
        readings.withLock { $0.removeValue(forKey: page) }?.cancel()
    }
}
