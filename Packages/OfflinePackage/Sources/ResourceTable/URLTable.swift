// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import ResourceLoading

/// The offline resource table of a legacy server: which file answers which page URL.
///
/// A value: it is made from the server's answer by ``TableAnswer/init(decoding:limits:)-(Data,_)``, and never changes.
public struct URLTable: Sendable, Hashable {
    /// Compared for equality, not for order: another version replaces the table.
    public let version: String
    /// In the order of the answer.
    public let entries: [TableEntry]
    /// The origins of all entries.
    public let origins: Set<WebOrigin>
    /// Places in ``entries``.
    private let index: [TableURL: Int]

    /// - Parameter index: the place of each entry by its URL.
    init(version: String, entries: [TableEntry], index: [TableURL: Int]) {
        self.version = version
        self.entries = entries
        self.index = index
        origins = Self.origins(of: entries)
    }

    private static func origins(of entries: [TableEntry]) -> Set<WebOrigin> {
        var origins: Set<WebOrigin> = []
        var last = ""
        // Most are of the origin of the one before.
        for entry in entries where last.isEmpty || !entry.url.description.utf8.starts(with: last.utf8) {
            guard let origin = WebOrigin(url: entry.url.description) else { continue }
            origins.insert(origin)
            last = "\(origin)/"
        }
        return origins
    }

    public var count: Int { entries.count }

    /// The entry that answers a URL. About a microsecond, whatever the size of the table.
    public subscript(url: TableURL) -> TableEntry? {
        index[url].map { entries[$0] }
    }

    /// The entry that answers a page URL; the `#fragment` is ignored, the query counts.
    public func entry(answering url: some StringProtocol) -> TableEntry? {
        TableURL(url).flatMap { self[$0] }
    }

    /// Where in ``entries`` the entry of a URL is.
    func place(of url: TableURL) -> Int? {
        index[url]
    }

    public static func == (left: URLTable, right: URLTable) -> Bool {
        left.version == right.version && left.entries == right.entries
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(entries.count)
    }
}

/// One resource of a table.
public struct TableEntry: Sendable, Hashable {
    /// The page URL that it answers.
    public let url: TableURL
    /// Of this resource, not of the table. Compared for equality only.
    public let version: String
    /// The MD5 of the file's bytes.
    public let md5: MD5Digest
    /// Where the file is fetched from; also the key of the stored file.
    public let download: TableURL
    /// The value of `Content-Type`; `nil` where the table names none.
    public let contentType: String?

    public init(url: TableURL, version: String, md5: MD5Digest, download: TableURL, contentType: String?) {
        self.url = url
        self.version = version
        self.md5 = md5
        self.download = download
        self.contentType = contentType
    }
}
