// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import Foundation
internal import Prefetch
internal import ResourceLoading
internal import WebEngine

/// What is fetched ahead, mode by mode: a page's own request takes it where that comes by.
///
/// Isolation: the main actor.
@MainActor
final class Prefetchers {
    private let prefetchers: [(mode: InterceptionMode, prefetcher: Prefetcher)]

    /// The table that says what is fetched, for pages that are opened from now on.
    var table: PrefetchTable? {
        didSet { for entry in prefetchers { entry.prefetcher.table = table } }
    }

    /// - Parameter readCookies: what the requests of a page have theirs from, in a mode, read anew.
    /// - Returns: `nil` where nothing is fetched ahead.
    init?(
        _ pipelines: ModePipelines, _ options: PrefetchOptions?,
        readCookies: @escaping @MainActor (_ page: String, InterceptionMode) async throws -> PageCookies
    ) {
        prefetchers = pipelines.all.compactMap { pipeline in
            let prefetcher = Prefetcher(pipeline.prefetch, options, in: pipeline.mode, path: pipeline.path) { page in
                try await readCookies(page, pipeline.mode)
            }
            return prefetcher.map { (pipeline.mode, $0) }
        }
        guard !prefetchers.isEmpty else { return nil }
        table = options?.table
    }

    private subscript(mode: InterceptionMode) -> Prefetcher? { prefetchers.first { $0.mode == mode }?.prefetcher }

    /// Those of all modes together.
    var counters: PrefetchCounters {
        prefetchers.dropFirst().reduce(prefetchers[0].prefetcher.counters) { $0 + $1.prefetcher.counters }
    }

    /// See `Prefetcher/begin(_:at:isPosted:as:)`.
    func begin(_ id: PageID, at url: String, in mode: InterceptionMode, isPosted: Bool, as agent: UserAgent) {
        self[mode]?.begin(id, at: url, isPosted: isPosted, as: agent)
    }

    /// See `Prefetcher/answer(_:of:from:)`.
    func answer(
        _ call: PrefetchCall, of page: PageReference, in mode: InterceptionMode, from origin: WebOrigin
    ) async throws -> Data? {
        try await self[mode]?.answer(call, of: page, from: origin)
    }

    /// See `Prefetcher/waitForCookies(of:)`.
    func waitForCookies(of id: PageID) async -> Bool {
        var isRead = false
        for entry in prefetchers where await entry.prefetcher.waitForCookies(of: id) { isRead = true }
        return isRead
    }

    /// The page is closed, or does not open.
    func forget(_ id: PageID) {
        for entry in prefetchers { entry.prefetcher.forget(id) }
    }

    /// Drops what nobody has taken.
    func removeAll() {
        for entry in prefetchers { entry.prefetcher.removeAll() }
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
