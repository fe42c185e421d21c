// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import Prefetch
internal import ResourceLoading

/// What is fetched ahead, mode by mode: a page's own request takes it where that comes by.
///
/// Isolation: the main actor.
@MainActor
final class PrefetchCares {
    private let cares: [(mode: InterceptionMode, care: PrefetchCare)]

    /// The table that says what is fetched, for pages that are opened from now on.
    var table: PrefetchTable? {
        didSet { for entry in cares { entry.care.table = table } }
    }

    /// - Parameter readCookies: what the requests of a page have theirs from, in a mode, read anew.
    /// - Returns: `nil` where nothing is fetched ahead.
    init?(
        _ ways: ModeWays, _ options: PrefetchOptions?,
        readCookies: @escaping @MainActor (_ page: String, InterceptionMode) async throws -> PageCookies
    ) {
        cares = ways.all.compactMap { way in
            let care = PrefetchCare(way.ahead, options, in: way.mode, path: way.path) { page in
                try await readCookies(page, way.mode)
            }
            return care.map { (way.mode, $0) }
        }
        guard !cares.isEmpty else { return nil }
        table = options?.table
    }

    private subscript(mode: InterceptionMode) -> PrefetchCare? { cares.first { $0.mode == mode }?.care }

    /// Those of all modes together.
    var counters: PrefetchCounters {
        cares.dropFirst().reduce(cares[0].care.counters) { $0 + $1.care.counters }
    }

    /// See `PrefetchCare/begin(_:at:isPosted:as:)`.
    func begin(_ id: PageID, at url: String, in mode: InterceptionMode, isPosted: Bool, as agent: UserAgent) {
        self[mode]?.begin(id, at: url, isPosted: isPosted, as: agent)
    }

    /// See `PrefetchCare/answer(_:of:from:)`.
    func answer(
        _ call: PrefetchCall, of page: PageReference, in mode: InterceptionMode, from origin: WebOrigin
    ) async throws -> Data? {
        try await self[mode]?.answer(call, of: page, from: origin)
    }

    /// See `PrefetchCare/settle(_:)`.
    func settle(_ id: PageID) async -> Bool {
        var isRead = false
        for entry in cares where await entry.care.settle(id) { isRead = true }
        return isRead
    }

    /// The page is closed, or does not open.
    func forget(_ id: PageID) {
        for entry in cares { entry.care.forget(id) }
    }

    /// Drops what nobody has taken.
    func removeAll() {
        for entry in cares { entry.care.removeAll() }
    }
}

extension PrefetchCounters {
    fileprivate static func + (one: Self, other: Self) -> Self {
        var sum = one
        for field in [
            \Self.started, \.hits, \.joins, \.misses, \.strangers, \.wasted, \.wastedBytes, \.failures, \.abandoned,
            \.skipped,
        ] {
            sum[keyPath: field] += other[keyPath: field]
        }
        sum.saved += other.saved
        return sum
    }
}
