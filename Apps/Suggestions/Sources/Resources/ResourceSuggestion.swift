// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
package import Foundation
package import HTTPTypes
internal import ResourceLoading
internal import ResourceTable
internal import WebSyntax

/// A suggested resource table for a page, with the omitted files and their reasons.
///
/// The result depends only on the observed files. A file is included if its response is the same for all users: a GET
/// request, status 200, a type that pages use, neither `private` nor `no-store`, without cookies, and with the same
/// bytes in every run.
package struct ResourceSuggestion: Sendable {
    /// A file that the table does not contain.
    package struct LeftOut: Sendable, Hashable {
        /// The URL without user, query and fragment, which may contain secrets.
        package let url: String
        /// The reason as one line.
        package let reason: String
    }

    /// The omitted files without duplicates, sorted by URL.
    package private(set) var leftOut: [LeftOut] = []
    private var rows: [Row] = []
    private var names: Set<TableURL> = []

    /// The number of files in the table.
    package var count: Int { rows.count }

    /// Creates a suggestion.
    /// - Parameter runs: The observed files of each opening.
    package init(runs: [[ObservedFile]]) {
        let runs = runs.map { run in Dictionary(grouping: run.filter { FileRule($0).isFile }, by: \.request.urlText) }
        var known: Set<String> = []
        for url in runs.flatMap(\.keys).sorted() where known.insert(url).inserted {
            let seen = runs.map { $0[url] ?? [] }
            let reason =
                seen.joined().lazy.compactMap { FileRule($0).fault }.first
                ?? (seen.contains(where: \.isEmpty) ? "it does not occur in every run" : nil)
                ?? (Set(seen.joined().map(\.bytes)).count > 1 ? "its bytes differ from run to run" : nil)
            if let reason {
                record(url, reason)
            } else if let name = TableURL(url), let file = seen.joined().first, let row = Row(name, file) {
                // Different spellings of one URL share one entry.
                if names.insert(name.normalized).inserted { rows.append(row) }
            } else {
                record(url, "its URL cannot be part of a table")
            }
        }
    }

    /// Returns a Boolean value that indicates whether the table contains the file of a request.
    package func names(_ request: HTTPRequest) -> Bool {
        request.method == .get && TableURL(request).map { names.contains($0.normalized) } == true
    }

    /// Returns the table as a server publishes it, after parsing it to check that a container accepts it.
    ///
    /// Each entry has three additional members with the names of a package manifest: `path` (from the root of the
    /// host), `size` and `sha256`. Readers of tables ignore these members.
    /// - Parameter version: The version of the table.
    /// - Throws: ``TableError`` for an invalid version.
    package func json(version: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        let entries = try rows.map { "      \(try text($0.download)): \(try text($0))" }
        let map = entries.isEmpty ? "{}" : "{\n\(entries.joined(separator: ",\n"))\n    }"
        let json = Data(
            """
            { "code": 200,
              "data": { "version": \(try text(version)), "update": true,
                "resourcemap": \(map) } }

            """.utf8)
        guard case .table(let table) = try TableAnswer(decoding: json), table.count == rows.count else {
            throw TableError(.badTable, "the table does not contain the observed files")
        }
        return json
    }

    private mutating func record(_ url: String, _ reason: String) {
        let path = HTTPRequest(urlText: url)?.path ?? ""
        let bare = "\(WebOrigin(url: url) ?? .opaque)\(path.prefix { $0 != "?" })"
        let entry = LeftOut(url: bare, reason: reason)
        if !leftOut.contains(entry) { leftOut.append(entry) }
    }

    private struct Row: Encodable {
        let version = "1"
        let md5: String
        let download: String
        let ctype: String?
        let path: String
        let size: Int
        let sha256: String

        private enum CodingKeys: CodingKey {
            case version, md5, download, ctype, path, size, sha256
        }

        /// Creates the row of a file, or returns `nil` if the bytes are missing.
        init?(_ url: TableURL, _ file: ObservedFile) {
            guard let bytes = file.bytes else { return nil }
            md5 = MD5Digest(of: bytes).description
            download = url.description
            let type = file.response?.headerFields[.contentType]
            // The table accepts only printable ASCII of at most 256 bytes.
            ctype = type.flatMap { $0.utf8.count <= 256 && $0.utf8.allSatisfy { 0x20..<0x7F ~= $0 } ? $0 : nil }
            path = Self.path(of: file.request.path ?? "/")
            size = bytes.count
            sha256 = SHA256Digest(of: bytes).hex
        }

        /// Returns the path in a package: decoded, without the leading slash and the query, and with `index.html` for
        /// a folder.
        private static func path(of target: String) -> String {
            let raw = target.utf8.dropFirst().prefix { $0 != UInt8(ascii: "?") }
            let path = String(validUTF8: PercentEncoding.decodeLeniently(raw)) ?? String(Substring(raw))
            return path.isEmpty || path.hasSuffix("/") ? path + "index.html" : path
        }
    }
}
