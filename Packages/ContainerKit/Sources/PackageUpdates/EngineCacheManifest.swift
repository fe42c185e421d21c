// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading

/// The packages of which an engine's own caches may hold files, with the URL of each in the engine and the generation of
/// the files. A value that is stored across launches.
struct EngineCacheManifest: Codable, Hashable {
    /// The files of one package at one URL of the engine.
    struct Entry: Codable, Hashable {
        let baseURL: PackageBaseURL
        /// The base URL in the engine: at the local server it is another one for each port.
        let place: String
        /// The generation of the files; `nil` if they may be of several generations, or of the server.
        var generation: Int64?

        private enum CodingKeys: String, CodingKey {
            case baseURL, place, generation
        }

        /// The root of the place's origin.
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

    /// Returns the entries whose files the engine has to forget before it may hold files of `wanted` and no others.
    func stale(for wanted: EngineCacheManifest) -> [Entry] {
        let old = entries.filter { wanted.entries[$0.key] != $0.value }.values
        let new = wanted.entries.filter { entries[$0.key] == nil }.values
        return (Array(old) + new).sorted { $0.place < $1.place }
    }

    /// Records that files of `wanted` are served from now on although the engine has not forgotten its older files.
    mutating func mix(with wanted: EngineCacheManifest) {
        for (key, entry) in entries where wanted.entries[key] != entry { entries[key]?.generation = nil }
        for (key, entry) in wanted.entries where entries[key] == nil {
            entries[key] = Entry(baseURL: entry.baseURL, place: entry.place, generation: nil)
        }
    }

    /// Makes the manifest of an engine that holds no files.
    init() {}

    /// Makes the manifest of an engine that holds files of these packages only.
    /// - Parameter place: returns the URL in the engine for a URL of a package; `nil` if it is not known.
    /// - Returns: `nil` if the URL of a package in the engine is not known.
    init?(_ packages: [InstalledPackage], place: (String) -> String?) {
        for package in packages {
            guard let place = place(package.baseURL.description) else { return nil }
            entries["\(package.id) \(place)"] = Entry(
                baseURL: package.baseURL, place: place, generation: package.generation.number)
        }
    }
}
