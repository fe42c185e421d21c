// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
@_spi(Packaging) internal import PackageFormat
public import ResourceLoading

/// A loader that serves requests from previews. It precedes the package loader.
///
/// A folder serves GET and HEAD requests for its files, and `index.html` for a path that ends in a slash. It never
/// serves a file outside the folder, even through links. The responses have the fields that the file `_headers` of the
/// folder adds to a package; a request fails if that file is invalid. All other requests are passed to the next loader.
/// A server receives every request below the base URL. HEAD of a file has the same response as GET, including the body.
/// The provenance of every response names the preview, and no response may be cached.
struct PreviewLoader: ResourceLoader {
    private let previews: PreviewList
    private let network: any ResourceLoader
    private let mediaTypes: MediaTypes

    /// Creates a loader.
    /// - Parameters:
    ///   - previews: the previews, which may change at any time.
    ///   - network: the loader for development servers.
    init(_ previews: PreviewList, network: any ResourceLoader) {
        self.previews = previews
        self.network = network
        mediaTypes = MediaTypes()
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let mounted = previews.mounted
        return mounted.isEmpty ? nil : try await response(to: request, from: mounted)
    }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        previews.mounted.isEmpty ? .known(nil) : .later
    }

    @concurrent
    private func response(to request: ResourceRequest, from mounted: [Preview]) async throws -> ResourceResponse? {
        guard let url = PackageURL(request.head) else { return nil }
        for preview in mounted {
            guard let base = PackageURL(preview.baseURL.description), base.isPrefix(of: url) else { continue }
            switch preview.source {
            case .folder(let path):
                return try response(
                    to: request, with: url.filePath(below: base), in: PreviewFolder(path), of: preview)
            case .server(let server): return try await response(to: request, from: server, for: preview)
            }
        }
        return nil
    }

    private func response(
        to request: ResourceRequest, with path: String, in folder: PreviewFolder, of preview: Preview
    ) throws -> ResourceResponse? {
        guard request.head.method == .get || request.head.method == .head, let slice = try folder.file(at: path) else {
            return nil
        }
        let fields = PackageFields.fields(
            ofPreviewed: path, mediaType: try type(of: slice),
            rules: try folder.rules())
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: .file(slice),
            provenance: Provenance(.package, reason: preview.description))
    }

    /// Returns the media type of a file, with the `charset` that a package would give it.
    ///
    /// A file of more than ``sniffLimit`` bytes has no `charset`.
    private func type(of slice: FileSlice) throws -> String {
        let type = mediaTypes.type(of: slice.file.path)
        guard slice.range.count <= Self.sniffLimit, var sniffer = CharsetSniffer(mediaType: type) else { return type }
        sniffer.append(try slice.read())
        return type + sniffer.parameter()
    }

    private static let sniffLimit = 16 << 20

    private func response(
        to request: ResourceRequest, from server: PackageBaseURL, for preview: Preview
    ) async throws -> ResourceResponse? {
        var request = request
        let path = request.head.path ?? "/"
        // The request may have other percent escapes than the base URL, so the components of the path are counted.
        let depth = preview.baseURL.path.utf8.count { $0 == UInt8(ascii: "/") }
        let below = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: depth, omittingEmptySubsequences: false)
            .last
        request.head.scheme = server.scheme
        request.head.authority = server.authority
        request.head.path = server.path + String(below.map { Substring($0) } ?? "")
        guard var response = try await network.load(request) else { return nil }
        response.head.headerFields[.cacheControl] = "no-store"
        response.provenance = Provenance(.network, reason: preview.description)
        return response
    }
}

extension PreviewList {
    /// Returns a loader that serves requests from the previews. It precedes the package loader.
    ///
    /// A folder serves GET and HEAD requests for its files, and `index.html` for a path that ends in a slash, with the
    /// response fields of its file `_headers`. A server receives every request below the base URL. Other requests are
    /// passed to the next loader.
    /// - Parameter network: the loader for development servers.
    public func makeLoader(network: any ResourceLoader) -> any ResourceLoader {
        PreviewLoader(self, network: network)
    }
}
