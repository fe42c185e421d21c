// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
@_spi(Packaging) internal import PackageFormat
public import ResourceLoading
internal import ResourceStore

/// A loader that serves GET and HEAD requests from installed packages.
///
/// A URL maps to a file by scheme, host, port and path; query and fragment are ignored. A path that ends in a slash
/// maps to its `index.html`. Responses have `Cache-Control: no-cache`, so that a cached file does not outlive its
/// generation, and the fields that the rules of the package add. For a missing file of a complete package the response
/// is 404 with the fields that the rules add for its path, or a redirect if the URL lacks the slash of a folder.
///
/// HEAD has the same response as GET, including the body. Decorators handle HEAD, ranges and conditional requests.
/// All other requests, and files that the store cannot read, are passed to the next loader.
public struct PackageLoader: ResourceLoader {
    private let library: PackageLibrary

    /// Creates a loader for a library.
    public init(_ library: PackageLibrary) {
        self.library = library
    }

    nonisolated(nonsending) public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let lookup = lookup(of: request) else { return nil }
        if let response = answerInMemory(to: lookup) { return response }
        return await answer(to: lookup, of: request)
    }

    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        guard let lookup = lookup(of: request) else { return .known(nil) }
        return answerInMemory(to: lookup).map { .known($0) } ?? .later
    }

    /// The lookup key of a request and the generations to search.
    private struct Lookup {
        let url: PackageURL
        /// The page whose generations are searched, or `nil`.
        let page: PageReference?
        /// The pages that may have sent a request without an identified page.
        let requesters: [PageID]
        /// The generations that may contain the file, at least one.
        let generations: [PackageGeneration]
    }

    /// Returns the lookup of a request, or `nil` if no package can contain it.
    private func lookup(of request: ResourceRequest) -> Lookup? {
        guard request.head.method == .get || request.head.method == .head, let url = PackageURL(request.head) else {
            return nil
        }
        var page: PageReference?
        if let attribution = request.page, attribution.confidence == .exact { page = attribution.page }
        let requesters = page == nil ? request.page?.requesters ?? [] : []
        let generations = library.candidates(for: url, page: page, requesters: requesters)
        return generations.isEmpty
            ? nil : Lookup(url: url, page: page, requesters: requesters, generations: generations)
    }

    /// Returns the response, or `nil` if it requires a read from disk.
    private func answerInMemory(to lookup: Lookup) -> ResourceResponse? {
        // The generations are ordered by descending length of the base path; the first that covers the URL decides.
        guard let generation = lookup.generations.first(where: { $0.contains(lookup.url) }),
            case .some(.some(let entry)) = generation.knownFile(at: lookup.url),
            let bytes = library.store.bytesInMemory(of: entry.blob)
        else { return nil }
        return respond(with: bytes.isEmpty ? .empty : .bytes(bytes), of: entry, in: generation)
    }

    /// Returns the response after reading from disk, off the caller's thread.
    @concurrent
    private func answer(to lookup: Lookup, of request: ResourceRequest) async -> ResourceResponse? {
        let (url, page) = (lookup.url, lookup.page)
        switch find(url, in: lookup.generations) {
        case .file(let entry, let generation):
            do {
                return respond(with: try body(of: entry), of: entry, in: generation)
            } catch {
                library.countUnreadable(entry.path, of: generation, because: error)
                return nil
            }
        case .missing(let generation):
            if let folder = url.asFolder,
                case .file = find(
                    folder, in: library.candidates(for: folder, page: page, requesters: lookup.requesters))
            {
                return redirect(request.head, generation.package)
            }
            return notFound(url, generation)
        case .unknown:
            return nil
        }
    }

    /// The result of a lookup.
    private enum Finding {
        case file(StoredEntry, PackageGeneration)
        /// The file does not exist, and this generation of a complete package decides the URL.
        case missing(PackageGeneration)
        case unknown
    }

    private func find(_ url: PackageURL, in generations: [PackageGeneration]) -> Finding {
        var decidingBase: String?
        var complete: PackageGeneration?
        for generation in generations {
            // The generations are ordered by descending length of the base path.
            if let decidingBase, decidingBase != generation.base.path { break }
            guard generation.contains(url) else { continue }
            decidingBase = generation.base.path
            if generation.package.isComplete { complete = complete ?? generation }
            do {
                if let entry = try generation.file(at: url, in: library.store) { return .file(entry, generation) }
            } catch {
                library.countUnreadable(nil, of: generation, because: error)
                return .unknown
            }
        }
        return complete.map { .missing($0) } ?? .unknown
    }

    /// Returns a 404 response for a URL below the base URL of a complete package that has no file for it.
    ///
    /// The body is always an HTML page. The loader cannot reliably detect requests for documents, for example in
    /// frames, and an engine shows nothing for a document without a type.
    private func notFound(_ url: PackageURL, _ generation: PackageGeneration) -> ResourceResponse {
        let package = generation.package
        let fields = PackageFields.fields(
            ofMissing: url.filePath(below: generation.base), rules: generation.fieldRules)
        return ResourceResponse(
            head: HTTPResponse(status: .notFound, headerFields: fields),
            body: .bytes(Self.notFoundPage),
            provenance: Provenance(
                .package, reason: "package \(package.id) \(package.version) is complete, without \(url.path)",
                generation: package.generation))
    }

    /// Returns a redirect from a folder's URL without its slash to the URL with it, as static hosts do.
    ///
    /// Relative URLs in the folder's `index.html` resolve correctly only if the URL of the document has the slash. The
    /// rules of the package add no fields, because static hosts apply them to files only.
    private func redirect(_ request: HTTPRequest, _ package: InstalledPackage) -> ResourceResponse {
        let target = request.path ?? "/"
        let end = target.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? target.endIndex
        // The location is absolute, because a path that begins with two slashes would be read as a host.
        let origin = "\(request.scheme ?? "")://\(request.authority ?? "")"
        let location = "\(origin)\(target[..<end])/\(target[end...])"
        return ResourceResponse(
            head: HTTPResponse(
                status: .movedPermanently,
                headerFields: [.location: location, .cacheControl: "no-cache"]),
            body: .empty,
            provenance: Provenance(
                .package, reason: "package \(package.id) \(package.version): a folder's URL ends in a slash",
                generation: package.generation))
    }

    private func body(of entry: StoredEntry) throws -> ResourceBody {
        let blob = try library.store.blob(entry.blob, size: entry.size)
        return switch blob.content {
        case _ where blob.size == 0: .empty
        case .bytes(let bytes): .bytes(bytes)
        case .file(let file):
            .file(FileSlice(try OpenFile(copying: file.descriptor, path: file.path), range: 0..<blob.size))
        }
    }

    private func respond(
        with body: ResourceBody, of entry: StoredEntry, in generation: PackageGeneration
    ) -> ResourceResponse {
        let package = generation.package
        // The reason is built in one allocation, because the function runs for each request.
        var reason = ""
        reason.reserveCapacity(128 + entry.path.utf8.count)
        for part in ["package ", package.id.description, " ", package.version.description, ": ", entry.path] {
            reason += part
        }
        let fields = PackageFields.fields(
            of: entry.path, mediaType: entry.mediaType, digest: entry.blob, rules: generation.fieldRules)
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: body,
            provenance: Provenance(
                .package, reason: reason, generation: package.generation))
    }

    private static let notFoundPage = Data(
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>404 Not Found</title></head>
        <body><h1>Not Found</h1><p>This site has no such page.</p></body></html>

        """.utf8)
}

extension ResourceLoader where Self == PackageLoader {
    /// Returns a loader that serves requests from the packages of a library.
    public static func package(_ library: PackageLibrary) -> Self {
        PackageLoader(library)
    }
}
