// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import WebEngine

/// All openings of one site.
struct SiteResult: Sendable {
    let site: ContestSite
    var engine = ""
    private var results: [ContestVariant: [RunResult]] = [:]
    private(set) var snapshots: [ContestVariant: PageSnapshot] = [:]
    private var anonymous: [ContestVariant: [PageSnapshot]] = [:]

    init(site: ContestSite) {
        self.site = site
    }

    @MainActor
    mutating func add(_ opening: Opening, _ variant: ContestVariant) {
        results[variant, default: []].append(opening.result)
        snapshots[variant] = opening.snapshot
        if let picture = opening.anonymousSnapshot { anonymous[variant, default: []].append(picture) }
    }

    func median(_ variant: ContestVariant) -> RunResult {
        .median(of: results[variant] ?? [])
    }

    /// The first contentful paint with the package, as a ratio to the bare engine on unshaped loopback.
    var paintRatio: Double? {
        ratio(median(.packed).firstContentfulPaintMs, to: median(.bareLoopback).firstContentfulPaintMs)
    }

    /// The speed-up of the first contentful paint: the bare engine on the slow network divided by the container with
    /// the package.
    var paintGain: Double? {
        ratio(median(.bareSlow).firstContentfulPaintMs, to: median(.packed).firstContentfulPaintMs)
    }

    /// The speed-up of the usable page: the bare engine on the slow network divided by the container with the
    /// package.
    var readyGain: Double? {
        ratio(median(.bareSlow).readyMs, to: median(.packed).readyMs)
    }

    /// The upper bound of ``readyGain``: the bare engine on the slow network divided by the bare engine on unshaped
    /// loopback. The time on loopback is that of the site's own scripts.
    var readyBound: Double? {
        ratio(median(.bareSlow).readyMs, to: median(.bareLoopback).readyMs)
    }

    /// Returns the number of openings of a variant.
    func rounds(_ variant: ContestVariant) -> Int { results[variant]?.count ?? 0 }

    /// The failed URLs of the bare engine, including URLs of other hosts.
    var failuresOfTheSite: [String] {
        Set((results[.bareLoopback] ?? []).flatMap(\.requests.failures)).sorted()
    }

    /// The paths that fail with the network cut but not in the bare engine on loopback.
    var newFailures: [String] {
        let known = failedPaths(.bareLoopback)
        let now = failedPaths(.packedOffline)
        return now.subtracting(known).sorted()
    }

    /// Returns the pixels that differ between the container and the bare engine. Pixels in which two bare openings
    /// differ are not compared.
    func differingPixels(_ variant: ContestVariant) -> PixelDifference? {
        guard let bare = anonymous[.bareLoopback], bare.count > 1, let last = bare.last,
            let contained = anonymous[variant]?.last
        else { return nil }
        return PixelDifference(between: last, and: contained, apartFrom: bare.dropLast())
    }

    /// Returns the failed paths without the origins, because the origins differ by their ports.
    private func failedPaths(_ variant: ContestVariant) -> Set<String> {
        let urls = (results[variant] ?? []).flatMap(\.requests.failures)
        return Set(
            urls.map { $0.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3).joined(separator: "/") })
    }

    private func ratio(_ value: Double?, to reference: Double?) -> Double? {
        guard let value, let reference, reference > 0 else { return nil }
        return value / reference
    }
}
