// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import ResourceLoading

/// The offline resource table of a legacy server, which maps page URLs to files.
///
/// It is an immutable value that a ``TableLibrary`` creates from the server's response.
public struct URLTable: Sendable, Hashable {
    /// The version. The primary replaces the table by any different version, and the mirror not by a lower integer
    /// version.
    public let version: String
    /// The entries in the order of the response.
    public let entries: [TableEntry]
    /// The origins of all entries.
    public let origins: Set<WebOrigin>
    /// The number of entries of the response that cannot be used and are not in ``entries``.
    public let invalidCount: Int
    /// The first reason for which an entry cannot be used, or `nil` if ``invalidCount`` is 0.
    package let firstFault: TableError?
    /// The positions in ``entries`` by normalized URL.
    private let index: [TableURL: Int]

    /// Creates a table.
    /// - Parameters:
    ///   - version: the version of the table.
    ///   - entries: the entries in the order of the response.
    ///   - index: the position of each entry by its URL.
    ///   - invalidCount: the number of entries of the response that cannot be used.
    ///   - firstFault: the first reason for which an entry cannot be used.
    init(
        version: String, entries: [TableEntry], index: [TableURL: Int], invalidCount: Int = 0,
        firstFault: TableError? = nil
    ) {
        self.version = version
        self.entries = entries
        self.index = index
        self.invalidCount = invalidCount
        self.firstFault = firstFault
        origins = Self.origins(of: entries)
    }

    private static func origins(of entries: [TableEntry]) -> Set<WebOrigin> {
        var origins: Set<WebOrigin> = []
        var last = ""
        // Most entries have the same origin as the previous one.
        for entry in entries where last.isEmpty || !entry.url.description.utf8.starts(with: last.utf8) {
            guard let origin = WebOrigin(url: entry.url.description) else { continue }
            origins.insert(origin)
            last = "\(origin)/"
        }
        return origins
    }

    /// The number of entries.
    public var count: Int { entries.count }

    /// Returns the entry for a URL in about a microsecond, independent of the size of the table. Percent escapes are
    /// compared in normalized form.
    public subscript(url: TableURL) -> TableEntry? {
        index[url.normalized].map { entries[$0] }
    }

    /// Returns the entry for a page URL. The fragment is ignored, the query is significant. Percent escapes are
    /// compared in normalized form.
    public func entry(answering url: some StringProtocol) -> TableEntry? {
        TableURL(url).flatMap { self[$0] }
    }

    /// Returns the position of an entry's URL in ``entries``.
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

/// A resource of a table.
public struct TableEntry: Sendable, Hashable {
    /// The URL of the page's request, with normalized percent escapes.
    public let url: TableURL
    /// The version of this resource, not of the table. Compared only for equality.
    public let version: String
    /// The MD5 of the file's bytes.
    public let md5: MD5Digest
    /// The URL of the file, which is also the key of the stored file.
    public let download: TableURL
    /// The value of `Content-Type`, or `nil` if the table has none.
    public let contentType: String?

    /// Creates an entry.
    public init(url: TableURL, version: String, md5: MD5Digest, download: TableURL, contentType: String?) {
        self.url = url.normalized
        self.version = version
        self.md5 = md5
        self.download = download
        self.contentType = contentType
    }
}
