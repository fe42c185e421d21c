// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import PackageFormat
public import ResourceLoading
internal import ResourceStore

/// Answers requests from installed packages: GET and HEAD of a URL that a package has a file for.
///
/// A URL maps to a file by scheme, host, port and path; query and fragment do not count. A path that ends in a
/// slash stands for its `index.html`. The answer is marked so that whoever caches it asks again: an old file
/// never outlives its generation. Where a package says that it is complete, what it lacks is answered 404, and a
/// folder's URL without its slash by a redirect to the one with it.
/// HEAD is answered as GET is, body included: what HTTP makes of a whole file, its ranges and conditions, is for a
/// decorator to settle.
/// Everything else is left to the next loader, a file that cannot be read from the store among it.
public struct PackageLoader: ResourceLoader {
    private let library: PackageLibrary

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

    /// What a request asks of packages.
    private struct Lookup {
        let url: PackageURL
        /// The page whose generations answer.
        let page: PageReference?
        /// Those that may have it, at least one.
        let generations: [PackageGeneration]
    }

    /// `nil` where no package can have it.
    private func lookup(of request: ResourceRequest) -> Lookup? {
        guard request.head.method == .get || request.head.method == .head, let url = PackageURL(request.head) else {
            return nil
        }
        var page: PageReference?
        if let attribution = request.page, attribution.confidence == .exact { page = attribution.page }
        let generations = library.candidates(for: url, page: page)
        return generations.isEmpty ? nil : Lookup(url: url, page: page, generations: generations)
    }

    /// `nil` where something has to be read.
    private func answerInMemory(to lookup: Lookup) -> ResourceResponse? {
        // The base paths come longest first, and the first that has it decides.
        guard let generation = lookup.generations.first(where: { $0.contains(lookup.url) }),
            case .some(.some(let entry)) = generation.knownFile(at: lookup.url),
            let bytes = library.store.bytesInMemory(of: entry.blob)
        else { return nil }
        return respond(with: bytes.isEmpty ? .empty : .bytes(bytes), of: entry, in: generation.package)
    }

    /// Reads, which takes its time: off the caller's thread.
    @concurrent
    private func answer(to lookup: Lookup, of request: ResourceRequest) async -> ResourceResponse? {
        let (url, page) = (lookup.url, lookup.page)
        switch find(url, in: lookup.generations) {
        case .file(let entry, let generation):
            do {
                return respond(with: try body(of: entry), of: entry, in: generation.package)
            } catch {
                library.countUnreadable(entry.path, of: generation, because: error)
                return nil
            }
        case .missing(let package):
            if let folder = url.asFolder, case .file = find(folder, in: library.candidates(for: folder, page: page)) {
                return redirect(request.head, package)
            }
            return notFound(url, package)
        case .unknown:
            return nil
        }
    }

    /// What the packages know of a URL.
    private enum Finding {
        case file(StoredEntry, PackageGeneration)
        /// There is no such file, as this complete package says.
        case missing(InstalledPackage)
        case unknown
    }

    private func find(_ url: PackageURL, in generations: [PackageGeneration]) -> Finding {
        var decidingBase: String?
        var complete: InstalledPackage?
        for generation in generations {
            // The base paths come longest first.
            if let decidingBase, decidingBase != generation.base.path { break }
            guard generation.contains(url) else { continue }
            decidingBase = generation.base.path
            if generation.package.isComplete { complete = complete ?? generation.package }
            do {
                if let entry = try generation.file(at: url, in: library.store) { return .file(entry, generation) }
            } catch {
                library.countUnreadable(nil, of: generation, because: error)
                return .unknown
            }
        }
        return complete.map { .missing($0) } ?? .unknown
    }

    /// The answer that the site itself would give, since the publisher says that it has no more than the package.
    ///
    /// Always a page: which requests are for documents, such as those of frames, is not known for certain, and an
    /// engine shows nothing at all for a document without a type.
    private func notFound(_ url: PackageURL, _ package: InstalledPackage) -> ResourceResponse {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .contentType, value: "text/html;charset=utf-8"))
        fields.append(Self.revalidate)
        return ResourceResponse(
            head: HTTPResponse(status: .notFound, headerFields: fields),
            body: .bytes(Self.notFoundPage),
            provenance: Provenance(
                .package, reason: "package \(package.id) \(package.version) is complete, without \(url.path)",
                generation: package.generation))
    }

    /// Leads from a folder's URL without its slash to the one with it, as static hosts do: only there do the relative
    /// URLs in its index.html mean what their author meant.
    private func redirect(_ request: HTTPRequest, _ package: InstalledPackage) -> ResourceResponse {
        let target = request.path ?? "/"
        let end = target.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? target.endIndex
        // Absolute: a path that begins with two slashes would name a host.
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
        with body: ResourceBody, of entry: StoredEntry, in package: InstalledPackage
    ) -> ResourceResponse {
        // Made in one piece, as is asked for with each request.
        var reason = ""
        reason.reserveCapacity(128 + entry.path.utf8.count)
        for part in ["package ", package.id.description, " ", package.version.description, ": ", entry.path] {
            reason += part
        }
        var fields = HTTPFields()
        // With room for what decorators add.
        fields.reserveCapacity(6)
        fields.append(HTTPField(name: .contentType, value: entry.mediaType))
        fields.append(HTTPField(name: .eTag, value: "\"\(entry.blob)\""))
        fields.append(Self.revalidate)
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: body,
            provenance: Provenance(
                .package, reason: reason, generation: package.generation))
    }

    private static let revalidate = HTTPField(name: .cacheControl, value: "no-cache")
    private static let notFoundPage = Data(
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>404 Not Found</title></head>
        <body><h1>Not Found</h1><p>This site has no such page.</p></body></html>

        """.utf8)
}

extension ResourceLoader where Self == PackageLoader {
    /// Answers from the packages of a library.
    public static func package(_ library: PackageLibrary) -> Self {
        PackageLoader(library)
    }
}
