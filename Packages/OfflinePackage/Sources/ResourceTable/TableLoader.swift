// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

/// A loader that serves GET and HEAD requests for the URLs of a resource table.
///
/// The fragment of a URL is ignored, the query is significant. A missing file is fetched and then served. If the
/// fetch fails, or for HEAD of a missing file, the request is passed to the next loader. HEAD of a stored file has
/// the same response as GET, including the body. Files from the store have the provenance
/// `Provenance.Source.package`, fetched files `Provenance.Source.network`.
struct TableLoader: ResourceLoader {
    private let library: TableLibrary

    /// Creates a loader for a library.
    init(_ library: TableLibrary) {
        self.library = library
    }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard request.head.method == .get || request.head.method == .head, let table = library.table,
            let url = TableURL(request.head), let entry = table[url]
        else { return nil }
        let reason = "resource table \(table.version): \(entry.url)"
        if let file = await library.file(of: entry) {
            return respond(with: file.body, of: entry, Provenance(.package, reason: reason))
        }
        guard request.head.method == .get else { return nil }
        switch try await library.fill(entry) {
        case .stored(let file): return respond(with: file.body, of: entry, Provenance(.package, reason: reason))
        case .downloaded(let bytes):
            let provenance = Provenance(.network, reason: "\(reason), filled on first use")
            return respond(with: .bytes(bytes), of: entry, provenance)
        case nil: return nil
        }
    }

    private func respond(
        with body: ResourceBody, of entry: TableEntry, _ provenance: Provenance
    ) -> ResourceResponse {
        var fields = HTTPFields()
        fields.reserveCapacity(6)
        if let type = entry.contentType { fields[.contentType] = type }
        fields[.eTag] = "\"\(entry.md5)\""
        // Caches must revalidate, so that an old file does not outlive its table.
        fields[.cacheControl] = "no-cache"
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: body, provenance: provenance)
    }
}

extension TableLibrary {
    /// Returns a loader that serves GET and HEAD requests for the URLs of the table.
    ///
    /// A missing file is fetched and then served. Other requests are passed to the next loader.
    public nonisolated func makeLoader() -> any ResourceLoader {
        TableLoader(self)
    }
}
