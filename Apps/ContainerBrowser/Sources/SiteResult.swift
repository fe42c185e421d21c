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

    /// First contentful paint with the package, as a ratio to the bare engine on unshaped loopback.
    var paintRatio: Double? {
        ratio(median(.packed).firstContentfulPaintMs, to: median(.bareLoopback).firstContentfulPaintMs)
    }

    /// How many times sooner the first contentful paint comes with the package than in the bare engine.
    var paintGain: Double? {
        ratio(median(.bareSlow).firstContentfulPaintMs, to: median(.packed).firstContentfulPaintMs)
    }

    /// How many times sooner the page is of use with the package than in the bare engine.
    var readyGain: Double? {
        ratio(median(.bareSlow).readyMs, to: median(.packed).readyMs)
    }

    /// How many times sooner the page would be of use than in the bare engine on the slow network, if the network took
    /// no time at all: what the site's own scripts leave to gain.
    var readyBound: Double? {
        ratio(median(.bareSlow).readyMs, to: median(.bareLoopback).readyMs)
    }

    /// How often a way was opened.
    func rounds(_ variant: ContestVariant) -> Int { results[variant]?.count ?? 0 }

    /// What fails in the bare engine too, other hosts with their names.
    var failuresOfTheSite: [String] {
        Set((results[.bareLoopback] ?? []).flatMap(\.requests.failures)).sorted()
    }

    /// What fails with the network cut and does not fail in the bare engine on loopback.
    var newFailures: [String] {
        let known = failedPaths(.bareLoopback)
        let now = failedPaths(.packedOffline)
        return now.subtracting(known).sorted()
    }

    /// The pixels in which the container's page differs from the bare engine's, where two bare ones agree.
    func differingPixels(_ variant: ContestVariant) -> PixelDifference? {
        guard let bare = anonymous[.bareLoopback], bare.count > 1, let last = bare.last,
            let contained = anonymous[variant]?.last
        else { return nil }
        return PixelDifference(between: last, and: contained, apartFrom: bare.dropLast())
    }

    /// Without the origins, which differ by their ports.
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
