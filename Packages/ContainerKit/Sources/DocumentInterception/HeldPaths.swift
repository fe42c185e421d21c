// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// A compact set of the URLs that the container holds, for the script in a page: a hash of four bytes for each path, by
/// origin.
///
/// Two paths may have the same hash. The page then requests a resource at its custom-scheme URL that the container does
/// not hold, and the container loads it from the network.
struct HeldPaths: Sendable {
    /// The maximum number of paths. Further paths are left out; pages request them at their real URLs.
    static let limit = 20_000

    /// The little-endian hashes in Base64, by serialized origin. The text is empty for an origin with folders only.
    let hashes: [String: String]
    /// The URLs of the folders that the container holds completely.
    let folders: [String]

    /// Creates the set.
    /// - Parameters:
    ///   - files: absolute URLs without queries. The `index.html` of a folder also stands for the folder.
    ///   - folders: the URLs of folders that are held completely. They end in a slash.
    init(files: some Sequence<String>, folders: [String] = []) {
        self.folders = folders
        var bytes: [String: Data] = [:]
        for folder in folders {
            if let origin = WebOrigin(url: folder) { bytes[origin.description] = Data() }
        }
        for url in files.prefix(Self.limit) {
            guard let request = HTTPRequest(urlText: url), let origin = request.webOrigin,
                let path = PercentEncoding.decode((request.path ?? "/").utf8)
            else { continue }
            var hashes = [Self.hash(of: path)]
            if path.ends(with: "/index.html".utf8) { hashes.append(Self.hash(of: path.dropLast(10))) }
            for hash in hashes {
                withUnsafeBytes(of: hash.littleEndian) {
                    bytes[origin.description, default: Data()].append(contentsOf: $0)
                }
            }
        }
        hashes = bytes.mapValues { $0.base64EncodedString() }
    }

    /// Returns the 32-bit FNV-1a hash of bytes (RFC 9923, section 2).
    static func hash(of bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}

extension [UInt8] {
    fileprivate func ends(with suffix: String.UTF8View) -> Bool { self.suffix(suffix.count).elementsEqual(suffix) }
}
