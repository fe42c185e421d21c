// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading

/// Of which packages an engine's own caches may hold files, and of which generation: a value, kept across launches.
struct HeldFiles: Codable, Hashable {
    struct Entry: Codable, Hashable {
        let baseURL: PackageBaseURL
        /// `nil` where it may be files of several, or the server's.
        var generation: Int64?
    }

    private(set) var entries: [String: Entry] = [:]

    /// What the engine has to forget before these packages answer, and no others: the URLs by which it does.
    func stale(for current: [InstalledPackage]) -> [PackageBaseURL] {
        let wanted = Self(current)
        var urls: Set<PackageBaseURL> = []
        for (package, entry) in entries where wanted.entries[package] != entry { urls.insert(entry.baseURL) }
        for (package, entry) in wanted.entries where entries[package] != entry { urls.insert(entry.baseURL) }
        return urls.sorted { $0.description < $1.description }
    }

    /// These packages answer from now on, and the engine has not forgotten what it held.
    mutating func mix(with current: [InstalledPackage]) {
        for (package, entry) in Self(current).entries where entries[package] != entry {
            // Of a package that has moved, both places have to be looked at.
            let former = entries[package].flatMap { $0.baseURL == entry.baseURL ? nil : $0.baseURL }
            entries[package] = Entry(baseURL: entry.baseURL, generation: nil)
            if let former { entries["\(package) \(former)"] = Entry(baseURL: former, generation: nil) }
        }
        let wanted = Self(current)
        for package in entries.keys where wanted.entries[package] == nil { entries[package]?.generation = nil }
    }

    /// The engine holds nothing but files of these packages.
    init(_ current: [InstalledPackage] = []) {
        for package in current {
            entries[package.id.description] = Entry(
                baseURL: package.baseURL, generation: package.generation.number)
        }
    }
}
