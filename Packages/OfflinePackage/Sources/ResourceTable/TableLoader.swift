// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

/// Answers requests from a resource table: GET and HEAD of a URL that the table has an entry for.
///
/// The `#fragment` of a URL is ignored, the query counts. A file that is not there yet is fetched, and then answers;
/// one that cannot be had leaves the request to the next loader, as does a HEAD of a file that is not there. HEAD of one
/// that is there is answered as GET is, body included. What was on disk has the provenance
/// `Provenance.Source.package`, what had to be fetched `Provenance.Source.network`.
public struct TableLoader: ResourceLoader {
    private let library: TableLibrary

    public init(_ library: TableLibrary) {
        self.library = library
    }

    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
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
        // Who caches it asks again: an old file never outlives its table.
        fields[.cacheControl] = "no-cache"
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: body, provenance: provenance)
    }
}

extension ResourceLoader where Self == TableLoader {
    /// Answers from the files of a resource table.
    public static func resourceTable(_ library: TableLibrary) -> Self {
        TableLoader(library)
    }
}
