// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Facade) internal import OfflinePackage
@_spi(Packaging) internal import PackageFormat
@_spi(Facade) internal import ResourceTable

// The checks of the catalogue.
extension UpdatePlan {
    /// The result of an attempt to fetch the catalogue.
    enum Fetch {
        case catalogue(PackageCatalogue)
        case failed(any Error)
        /// The device has no network, or the work of the container ended.
        case offline
    }

    /// Begins a check of the catalogue. The updates of `new` become due at its end; at once, if there is no catalogue
    /// or the last check is recent.
    mutating func check(_ new: Demand, at now: Date) {
        if new.isAll { stored.lastRound = now }
        guard options.catalogueURL != nil else { return add(new, at: now) }
        switch stored.check.begin(isLaunch: !hasChecked, at: now, hasMirror: options.hasMirror) {
        case .query(let attempt):
            hasChecked = true
            demand.merge(new)
            steps.append(.check(attempt))
        case .underWay: demand.merge(new)
        case .tooSoon: add(new, at: now)
        }
    }

    /// Applies the result of an attempt to fetch the catalogue.
    /// - Returns: the catalogue that is in use from now on, or `nil` if it has not changed.
    /// - Throws: the error of the attempt, or `DeliveryError` with code `replayed` or `outOfScope` if the catalogue is
    ///   refused.
    mutating func finish(_ attempt: SourceCheck.Attempt, with fetch: Fetch, at now: Date) throws -> PackageCatalogue? {
        let result = Result { try apply(fetch, isMirror: attempt.source == .mirror) }
        let outcome: SourceCheck.Outcome =
            switch (fetch, result) {
            case (.offline, _): .nothing
            case (_, .success): .success
            case (_, .failure): .failure
            }
        if let next = stored.check.finish(attempt, with: outcome) {
            steps.append(.check(next))
        } else {
            let demand = demand
            self.demand = Demand()
            if case .offline = fetch { missed.merge(demand) }
            add(demand, at: now)
        }
        return try result.get()
    }

    private mutating func apply(_ fetch: Fetch, isMirror: Bool) throws -> PackageCatalogue? {
        switch fetch {
        case .offline: return nil
        case .failed(let error): throw error
        case .catalogue(let catalogue):
            try checkScopes(of: catalogue)
            guard stored.sequence == nil || catalogue != stored.catalogue else { return nil }
            if let known = stored.sequence, !options.isSigned {
                if catalogue.sequence < known, isMirror { return nil }
                // If the stored catalogue could not be read, it may be this one.
                guard catalogue.sequence > known || (stored.catalogue == nil && catalogue.sequence == known) else {
                    throw Self.replayed(catalogue.sequence, known)
                }
            }
            adopt(catalogue)
            return catalogue
        }
    }

    /// Returns a Boolean value that indicates whether the scope of an entry lies below one of ``Options/scopes``. With
    /// signed manifests the updater checks the scope instead, so that one package does not block others.
    func isAllowed(_ entry: PackageCatalogue.Entry) -> Bool {
        options.isSigned || options.scopes.contains { entry.scope.lies(under: $0) }
    }

    private func checkScopes(of catalogue: PackageCatalogue) throws(DeliveryError) {
        for entry in catalogue.packages where !isAllowed(entry) {
            throw DeliveryError(
                .outOfScope, "the scope \(entry.scope) of \(entry.package) is not allowed", at: options.catalogueURL)
        }
    }

    private static func replayed(_ offered: Int64, _ known: Int64) -> DeliveryError {
        let message =
            offered < known
            ? "the catalogue has number \(offered), which is lower than \(known)"
            : "another catalogue has number \(known) too"
        return DeliveryError(.replayed, message)
    }

    /// The packages of the stored catalogue whose manifests are not named by ``Options/sources``, also if the catalogue
    /// cannot be read.
    var unnamedPackages: [PackageID] {
        let named = Set(options.sources.map(\.manifestURL))
        return stored.listedPackages.filter { !named.contains($0.key) }.map(\.value)
    }

    private mutating func adopt(_ catalogue: PackageCatalogue) {
        let listed = Set(catalogue.packages.map(\.package))
        let named = Set(options.sources.compactMap(\.package))
        let former = stored.formerPackages.union(unnamedPackages)
        let gone = former.subtracting(listed).subtracting(named).sorted()
        stored.catalogue = catalogue
        stored.sequence = catalogue.sequence
        stored.lostPackages = [:]
        stored.formerPackages = []
        stored.withdrawn.removeAll { listed.contains($0) || gone.contains($0) }
        stored.withdrawn.append(contentsOf: gone)
        stored.withdrawn.removeFirst(max(0, stored.withdrawn.count - Self.maxWithdrawn))
        stored.removals.formUnion(gone)
        stored.removals.subtract(listed)
        refreshDue()
    }
}

extension UpdatePlan {
    /// The state that must survive the process.
    struct Stored: Sendable, Hashable {
        /// The URL of the source of ``catalogue``, ``sequence`` and ``check``.
        var catalogueURL: String?
        /// The catalogue that is in use, or `nil` before the first one of the source and if it cannot be read.
        var catalogue: PackageCatalogue?
        /// The packages of the catalogue in use, by manifest URL, if it cannot be read; otherwise empty. The next one
        /// withdraws those that it does not list.
        var lostPackages: [String: PackageID] = [:]
        /// The number of the last catalogue of the source, or `nil` before the first one.
        var sequence: Int64?
        /// The packages that the catalogue of the former source listed.
        var formerPackages: Set<PackageID> = []
        var check = SourceCheck()
        /// The time of the last check of all packages.
        var lastRound: Date?
        /// The updates that are due, in the order of their start.
        var due: [DueUpdate] = []
        /// The times of recent attempts, by manifest URL.
        var attempts: [String: Date] = [:]
        /// The packages that a former catalogue listed, oldest first. They are not installed from the app's archive.
        var withdrawn: [PackageID] = []
        /// The withdrawn packages that have not been removed yet.
        var removals: Set<PackageID> = []

        init() {}

        /// The packages of the catalogue in use, by manifest URL.
        var listedPackages: [String: PackageID] {
            guard let catalogue else { return lostPackages }
            return Dictionary(catalogue.packages.map { ($0.manifestURL, $0.package) }) { first, _ in first }
        }
    }
}

extension UpdatePlan.Stored: Codable {
    private enum CodingKeys: String, CodingKey {
        case catalogueURL, catalogue, listedPackages, sequence, formerPackages, check, lastRound, due, attempts
        case withdrawn, removals
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        catalogueURL = try container.decodeIfPresent(String.self, forKey: .catalogueURL)
        // The next check replaces a catalogue that cannot be read. The rest of the state must not be lost with it.
        catalogue = try container.decodeIfPresent(String.self, forKey: .catalogue)
            .flatMap { try? PackageCatalogue(decoding: Data($0.utf8)) }
        if catalogue == nil {
            lostPackages = (try? container.decode([String: PackageID].self, forKey: .listedPackages)) ?? [:]
        }
        sequence = try container.decodeIfPresent(Int64.self, forKey: .sequence) ?? catalogue?.sequence
        formerPackages = try container.decode(Set<PackageID>.self, forKey: .formerPackages)
        check = try container.decode(SourceCheck.self, forKey: .check)
        lastRound = try container.decodeIfPresent(Date.self, forKey: .lastRound)
        due = try container.decode([DueUpdate].self, forKey: .due)
        attempts = try container.decode([String: Date].self, forKey: .attempts)
        withdrawn = try container.decode([PackageID].self, forKey: .withdrawn)
        removals = try container.decode(Set<PackageID>.self, forKey: .removals)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(catalogueURL, forKey: .catalogueURL)
        try container.encodeIfPresent(
            catalogue.map { try String(decoding: $0.encoded(), as: UTF8.self) }, forKey: .catalogue)
        try container.encode(listedPackages, forKey: .listedPackages)
        try container.encodeIfPresent(sequence, forKey: .sequence)
        try container.encode(formerPackages.sorted(), forKey: .formerPackages)
        try container.encode(check, forKey: .check)
        try container.encodeIfPresent(lastRound, forKey: .lastRound)
        try container.encode(due, forKey: .due)
        try container.encode(attempts, forKey: .attempts)
        try container.encode(withdrawn, forKey: .withdrawn)
        try container.encode(removals.sorted(), forKey: .removals)
    }
}
