// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ResourceLoading
internal import WebEngine

/// The cookies and user agents of the pages for which prefetches are made. The cookies are read once when a page is
/// opened, and again for each message of the page.
///
/// Isolation: any.
final class OpeningPages: Sendable {
    private struct Page {
        var agent: UserAgent = .engine
        var reading: Task<any PrefetchCookieSource, any Error>?
    }

    private let pages = Mutex<[PageID: Page]>([:])

    /// Starts reading the cookies of a page.
    func readCookies(
        of page: PageID, _ read: @escaping @Sendable () async throws -> any PrefetchCookieSource
    ) {
        let reading = Task { try await read() }
        pages.withLock { $0[page, default: Page()].reading = reading }
    }

    /// Returns the cookies of a page after they have been read.
    /// - Throws: the error of the reading, or `ResourceError` if the page is closed.
    func cookies(of page: PageID) async throws -> any PrefetchCookieSource {
        guard let reading = pages.withLock({ $0[page]?.reading }) else {
            throw ResourceError(.cancelled, "the page is closed")
        }
        return try await reading.value
    }

    /// Waits until the cookies of a page have been read or the reading has failed.
    /// - Returns: `false` if no reading was started.
    func waitUntilRead(for page: PageID) async -> Bool {
        guard let reading = pages.withLock({ $0[page]?.reading }) else { return false }
        _ = await reading.result
        return true
    }

    /// Sets the user agent of a page's view.
    func set(_ agent: UserAgent, for page: PageID) {
        pages.withLock { $0[page, default: Page()].agent = agent }
    }

    /// Returns the user agent of a page's view; the engine's own user agent if none was set.
    func agent(of page: PageID) -> UserAgent {
        pages.withLock { $0[page]?.agent } ?? .engine
    }

    /// Removes a page and cancels the reading of its cookies.
    func removePage(_ page: PageID) {
        pages.withLock { $0.removeValue(forKey: page) }?.reading?.cancel()
    }
}
