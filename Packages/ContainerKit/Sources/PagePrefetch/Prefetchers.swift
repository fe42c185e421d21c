// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
@_spi(Facade) package import Prefetch
package import ResourceLoading
package import WebEngine

/// The prefetchers of all modes of a container. A page's own request takes a response in the mode of the page.
///
/// Isolation: the main actor.
@MainActor
package final class Prefetchers {
    private let prefetchers: [Prefetcher]

    /// The table of the requests for pages that are opened from now on.
    package var table: PrefetchTable? {
        didSet { for prefetcher in prefetchers { prefetcher.table = table } }
    }

    /// Creates the prefetchers of a container; returns `nil` if there are none.
    /// - Parameter prefetchers: one prefetcher for each mode.
    package init?(_ prefetchers: [Prefetcher]) {
        guard let first = prefetchers.first else { return nil }
        self.prefetchers = prefetchers
        table = first.table
    }

    private subscript(mode: InterceptionMode) -> Prefetcher? { prefetchers.first { $0.mode == mode } }

    /// The sums of the counters of all modes.
    package var counters: PrefetchCounters {
        prefetchers.dropFirst().reduce(prefetchers[0].counters) { $0 + $1.counters }
    }

    /// Starts the prefetches of a page that is being opened. Returns at once.
    /// - Parameters:
    ///   - id: the page.
    ///   - url: the real URL of the page's document.
    ///   - mode: the mode of the page.
    ///   - isPosted: `true` if the document is requested by POST.
    ///   - agent: the user agent of the page's view.
    package func begin(_ id: PageID, at url: String, in mode: InterceptionMode, isPosted: Bool, as agent: UserAgent) {
        self[mode]?.begin(id, at: url, isPosted: isPosted, as: agent)
    }

    /// Returns the response to a message of a page.
    /// - Parameters:
    ///   - call: the message.
    ///   - page: the page.
    ///   - mode: the mode of the page.
    ///   - origin: the origin of the document that sent the message; only URLs of this origin are served.
    /// - Returns: JSON; `nil` if there is no response or if it is not complete in time.
    /// - Throws: `CancellationError`.
    package func answer(
        _ call: PrefetchCall, of page: PageReference, in mode: InterceptionMode, from origin: WebOrigin
    ) async throws -> Data? {
        try await self[mode]?.answer(call, of: page, from: origin)
    }

    /// Waits until the cookies of a page that is being opened have been read.
    /// - Returns: `false` if no reading was started.
    package func waitForCookies(of id: PageID) async -> Bool {
        var isRead = false
        for prefetcher in prefetchers where await prefetcher.waitForCookies(of: id) { isRead = true }
        return isRead
    }

    /// Removes the state of a page that is closed or could not be opened.
    package func removePage(_ id: PageID) {
        for prefetcher in prefetchers { prefetcher.removePage(id) }
    }

    /// Removes the responses that no page has taken.
    package func removeAll() {
        for prefetcher in prefetchers { prefetcher.removeAll() }
    }
}

extension PrefetchCounters {
    fileprivate static func + (one: Self, other: Self) -> Self {
        var sum = one
        for field in [
            \Self.started, \.hits, \.joins, \.misses, \.mismatches, \.wasted, \.wastedBytes, \.failures, \.abandoned,
            \.skipped,
        ] {
            sum[keyPath: field] += other[keyPath: field]
        }
        sum.saved += other.saved
        return sum
    }
}
