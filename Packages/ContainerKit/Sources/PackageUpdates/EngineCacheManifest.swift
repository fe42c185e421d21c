// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading

/// The packages whose files an engine's own caches may hold, with the URL in the engine and the generation of the
/// files. The value is stored across launches.
struct EngineCacheManifest: Codable, Hashable {
    /// The files of one package at one URL of the engine.
    struct Entry: Codable, Hashable {
        let baseURL: PackageBaseURL
        /// The base URL in the engine. With the loopback server it differs for each port.
        let place: String
        /// The generation of the files; `nil` if they may belong to several generations, or come from the server.
        var generation: Int64?

        private enum CodingKeys: String, CodingKey {
            case baseURL, place, generation
        }

        /// The root URL of the origin of ``place``.
        var root: String {
            let slash = place.utf8.indices.filter { place.utf8[$0] == UInt8(ascii: "/") }.dropFirst(2).first
            return slash.map { String(place[...$0]) } ?? place
        }
    }

    /// The entries, by package and place.
    private(set) var entries: [String: Entry] = [:]

    private enum CodingKeys: String, CodingKey {
        case entries
    }

    /// Returns the entries whose files the engine must remove, so that its caches contain files of `wanted` only.
    func stale(for wanted: EngineCacheManifest) -> [Entry] {
        let old = entries.filter { wanted.entries[$0.key] != $0.value }.values
        let new = wanted.entries.filter { entries[$0.key] == nil }.values
        return (Array(old) + new).sorted { $0.place < $1.place }
    }

    /// Records that files of `wanted` are served from now on although the engine has not removed older files.
    mutating func mix(with wanted: EngineCacheManifest) {
        for (key, entry) in entries where wanted.entries[key] != entry { entries[key]?.generation = nil }
        for (key, entry) in wanted.entries where entries[key] == nil {
            entries[key] = Entry(baseURL: entry.baseURL, place: entry.place, generation: nil)
        }
    }

    /// Creates the manifest of an engine that holds no files.
    init() {}

    /// Creates the manifest of an engine that holds files of these packages only; returns `nil` if the URL of a
    /// package in the engine is unknown.
    /// - Parameters:
    ///   - packages: the packages.
    ///   - place: a closure that returns the URL in the engine for a URL of a package, or `nil` if the URL in the
    ///     engine is unknown.
    init?(_ packages: [InstalledPackage], place: (String) -> String?) {
        for package in packages {
            guard let place = place(package.baseURL.description) else { return nil }
            entries["\(package.id) \(place)"] = Entry(
                baseURL: package.baseURL, place: place, generation: package.generation.number)
        }
    }
}
