// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
package import Foundation
package import HTTPTypes
internal import ResourceLoading
internal import ResourceTable
internal import WebSyntax

/// A table of the files that a page was seen to load, and what was left out of it, each with its reason.
///
/// A pure function of what was seen. A file is taken where its answer is the same for everybody: asked for by GET,
/// answered 200, of a type that pages are made of, neither `private` nor `no-store`, without cookies, and with the same
/// bytes in every run.
package struct ResourceSuggestion: Sendable {
    /// A file that the table does not name.
    package struct LeftOut: Sendable, Hashable {
        /// Without user, query and fragment, which may hold secrets.
        package let url: String
        /// One line for people.
        package let reason: String
    }

    /// What was left out, in the order in which it was first seen, each once.
    package private(set) var leftOut: [LeftOut] = []
    private var rows: [Row] = []
    private var names: Set<TableURL> = []

    /// How many files the table names.
    package var count: Int { rows.count }

    /// - Parameter runs: what was seen each time that the page was opened.
    package init(runs: [[ObservedFile]]) {
        let runs = runs.map { run in Dictionary(grouping: run.filter { FileRule($0).isFile }, by: \.request.urlText) }
        var known: Set<String> = []
        for url in runs.flatMap(\.keys).sorted() where known.insert(url).inserted {
            let seen = runs.map { $0[url] ?? [] }
            let reason =
                seen.joined().lazy.compactMap { FileRule($0).fault }.first
                ?? (seen.contains(where: \.isEmpty) ? "it was not asked for in every run" : nil)
                ?? (Set(seen.joined().map(\.bytes)).count > 1 ? "its bytes differ from run to run" : nil)
            if let reason {
                record(url, reason)
            } else if let name = TableURL(url), let file = seen.joined().first, let row = Row(name, file) {
                // Two spellings of one URL are one entry.
                if names.insert(name).inserted { rows.append(row) }
            } else {
                record(url, "its URL cannot stand in a table")
            }
        }
    }

    /// Whether the table names the file that a request asks for.
    package func names(_ request: HTTPRequest) -> Bool {
        request.method == .get && TableURL(request).map(names.contains) == true
    }

    /// The table, as a server publishes it. It has been read back: a container takes it.
    ///
    /// Each entry has three members more, which readers of tables skip, named as in a package's manifest: `path` (from the
    /// host's root), `size` and `sha256`.
    /// - Parameter version: of the table.
    /// - Throws: ``TableError`` for a version that no table can have.
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
            throw TableError(.badTable, "the table does not name the files that were seen")
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

        /// `nil` where bytes are missing.
        init?(_ url: TableURL, _ file: ObservedFile) {
            guard let bytes = file.bytes else { return nil }
            md5 = MD5Digest(of: bytes).description
            download = url.description
            let type = file.response?.headerFields[.contentType]
            // What a table may say of it.
            ctype = type.flatMap { $0.utf8.count <= 256 && $0.utf8.allSatisfy { 0x20..<0x7F ~= $0 } ? $0 : nil }
            path = Self.path(of: file.request.path ?? "/")
            size = bytes.count
            sha256 = SHA256Digest(of: bytes).hex
        }

        /// The path in a package: without its escapes, its first slash and its query; of a folder, its index.
        private static func path(of target: String) -> String {
            let raw = target.utf8.dropFirst().prefix { $0 != UInt8(ascii: "?") }
            let path = String(validating: PercentEncoding.decodeLeniently(raw), as: UTF8.self) ?? String(Substring(raw))
            return path.isEmpty || path.hasSuffix("/") ? path + "index.html" : path
        }
    }
}
