// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import OfflinePackage
import PackageFormat
import ResourceLoading
import Testing

@testable import PackageUpdates
@_spi(Facade) @testable import ResourceTable

/// The plan of updates with a catalogue that the publisher signs, and whose source refuses outdated ones.
@Suite("Plan of updates with a signed catalogue", .timeLimit(.minutes(1)))
struct SignedPlanTests {
    private var now = Date(timeIntervalSince1970: 1_000_000)
    private let url = "https://c.example/metadata/"

    /// A catalogue with or without signed manifests.
    private struct Catalogue: PackageCataloguing {
        let primaryURL = "https://c.example/metadata/"
        let mirrorURL: String? = nil
        let isSigned: Bool

        func catalogue(at url: String, load: @escaping DocumentLoading) async throws -> PackageCatalogue {
            try PackageCatalogue(sequence: 1, packages: [])
        }

        var signedManifests: (any SignedManifestSource)? { isSigned ? Manifests() : nil }
    }

    private struct Manifests: SignedManifestSource {
        let channel = "production"

        func manifest(
            of package: PackageID, for device: DeviceVersions, load: @escaping DocumentLoading
        ) async throws -> SignedManifest? { nil }

        func explain(_ package: PackageID, for device: DeviceVersions) async throws -> ReleaseExplanation {
            ReleaseExplanation(package: package, verdicts: [])
        }
    }

    private func options(isSigned: Bool = true, scopes: [String] = []) throws -> UpdatePlan.Options {
        UpdatePlan.Options(
            policy: .manual, sources: [], catalogueURL: url, hasMirror: true, isSigned: isSigned,
            scopes: try scopes.map { try PackageBaseURL($0) })
    }

    /// Returns a catalogue whose packages lie at hosts of their own.
    private func catalogue(_ sequence: Int64, _ ids: [String]) throws -> PackageCatalogue {
        try PackageCatalogue(
            sequence: sequence,
            packages: ids.map {
                try .init(
                    package: PackageID($0), manifestURL: "https://c.example/\($0).json",
                    scope: PackageBaseURL("https://\($0).example/"))
            })
    }

    /// Begins a check, 30 seconds after the last one.
    private mutating func beginCheck(_ plan: inout UpdatePlan) throws -> SourceCheck.Attempt {
        now += 30
        plan.record(.request, at: now)
        return try #require(plan.advance(at: now, in: HostConditions()).compactMap(\.attempt).first)
    }

    /// Applies a catalogue as the result of a check, and returns the one that is in use from now on.
    private mutating func check(_ plan: inout UpdatePlan, _ catalogue: PackageCatalogue) throws -> PackageCatalogue? {
        let attempt = try beginCheck(&plan)
        return try plan.finish(attempt, with: .catalogue(catalogue), at: now)
    }

    @Test("A lower number and an equal number with other content are adopted")
    mutating func numbers() throws {
        var plan = UpdatePlan(try options())
        for (sequence, ids) in [(5, ["a", "b"]), (4, ["a", "c"]), (4, ["c"]), (5, ["c", "d"])] as [(Int64, [String])] {
            let offered = try catalogue(sequence, ids)
            let adopted = try check(&plan, offered)
            #expect(adopted == offered && plan.stored.catalogue == offered && plan.stored.sequence == sequence)
            #expect(plan.stored.check.errors == 0)
        }
        // Packages that a catalogue does not list any more are removed, whatever its number.
        #expect(plan.stored.removals == Set(try ["a", "b"].map { try PackageID($0) }))
        // The same catalogue changes nothing.
        let same = try catalogue(5, ["c", "d"])
        let unchanged = try check(&plan, same)
        #expect(unchanged == nil && plan.stored.catalogue == same)
    }

    @Test("Without signatures, a lower number and an equal number with other content are refused")
    mutating func unsigned() throws {
        var plan = UpdatePlan(try options(isSigned: false, scopes: ["a", "b", "c"].map { "https://\($0).example/" }))
        let known = try catalogue(5, ["a"])
        _ = try check(&plan, known)
        for offered in [try catalogue(4, ["a"]), try catalogue(5, ["b"])] {
            var code: DeliveryError.Code?
            do { _ = try check(&plan, offered) } catch let error as DeliveryError { code = error.code }
            #expect(code == .replayed && plan.stored.catalogue == known)
        }
    }

    @Test("The mirror may have a lower number, too") mutating func mirror() throws {
        var plan = UpdatePlan(try options())
        _ = try check(&plan, catalogue(5, ["a"]))
        for _ in 1...5 {
            let attempt = try beginCheck(&plan)
            #expect(throws: DeliveryError.self) {
                try plan.finish(attempt, with: .failed(DeliveryError(.network, "down")), at: now)
            }
        }
        let attempt = try beginCheck(&plan)
        #expect(attempt.source == .mirror)
        let offered = try catalogue(4, ["b"])
        let adopted = try plan.finish(attempt, with: .catalogue(offered), at: now)
        #expect(adopted == offered && plan.stored.sequence == 4)
    }

    @Test("The plan of a signed catalogue does not compare scopes, because the updater does")
    mutating func scopes() throws {
        let offered = try catalogue(1, ["a", "b"])
        var plan = UpdatePlan(try options())
        let adopted = try check(&plan, offered)
        #expect(adopted == offered && plan.stored.due.count == 2)
        for scopes in [[], ["https://a.example/"]] {
            plan = UpdatePlan(try options(scopes: scopes))
            let adopted = try check(&plan, offered)
            #expect(adopted == offered && plan.stored.removals == [], "\(scopes)")
            #expect(plan.stored.due.count == 2)
        }
        plan = UpdatePlan(try options(scopes: ["https://a.example/", "https://b.example/"]))
        let allowed = try check(&plan, offered)
        #expect(allowed == offered)
    }

    @Test("The default scopes are the origin of the catalogue, or any if it is signed") func defaultScopes() throws {
        let (origin, other) = (try PackageBaseURL("https://c.example/"), try PackageBaseURL("https://a.example/"))
        var updates = AutomaticUpdates()
        #expect(updates.effectiveScopes == [])
        updates.catalogue = Catalogue(isSigned: false)
        #expect(updates.effectiveScopes == [origin])
        updates.catalogue = Catalogue(isSigned: true)
        #expect(updates.effectiveScopes == nil)
        updates.scopes = [other]
        #expect(updates.effectiveScopes == [other])
    }
}
