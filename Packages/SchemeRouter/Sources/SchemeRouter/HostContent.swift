// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes
public import ResourceLoading

/// A content source of the app at a named place of the request pipeline, such as the app's own cache of images.
///
/// The source answers GET and HEAD requests whose real URL has one of its hosts. If it has no response, fails or
/// exceeds its time limit, the next loader of the container answers. The container adds ranges, preconditions and
/// `HEAD` to responses with status 200, and does not store them.
///
/// Isolation: any; the container calls `contains` and the loader concurrently.
public struct HostContent: Sendable {
    /// A place in the order of the content sources. Previews of packages precede all places.
    public enum Place: Sendable, Hashable, CaseIterable {
        /// Before installed packages and packages that are being downloaded.
        case beforePackages
        /// After packages and before the resource table.
        case beforeResourceTable
        /// After packages and the resource table, and before prefetched responses, the HTTP cache and the network.
        case beforeCache
    }

    /// The name of the source, which is the `Provenance.Source` of its responses.
    public let name: String
    /// The hosts of the source.
    public let hosts: [HostPattern]
    /// The place of the source.
    public let place: Place
    /// A Boolean value that indicates whether the source causes interception of the requests that it contains.
    /// Otherwise it answers only requests that a rule or another source intercepts.
    public let coversHosts: Bool
    let limit: Duration
    let isContained: @Sendable (HTTPRequest) -> Bool
    let loader: any ResourceLoader
    var clock: any Clock<Duration> = ContinuousClock()

    /// Creates a source.
    /// - Parameters:
    ///   - name: one word of at most 32 lowercase ASCII letters that is not a kind of source of the container.
    ///   - hosts: the hosts, at least one.
    ///   - place: the place; ahead of the HTTP cache by default.
    ///   - coversHosts: see ``coversHosts``; false by default.
    ///   - limit: the time limit for the head of a response; 10 seconds by default.
    ///   - contains: a closure that indicates whether the source probably has the response to a request. It is called
    ///     for each request to the hosts, and must neither wait nor access files.
    ///   - loader: the loader of the responses. Its bodies may arrive later.
    /// - Returns: `nil` if the name is invalid or there are no hosts.
    public init?(
        _ name: String, for hosts: [HostPattern], at place: Place = .beforeCache, coversHosts: Bool = false,
        limit: Duration = .seconds(10), contains: @escaping @Sendable (HTTPRequest) -> Bool,
        loader: any ResourceLoader
    ) {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy(letters.contains),
            !Self.ownNames.contains(name), !hosts.isEmpty
        else { return nil }
        self.name = name
        self.hosts = hosts
        self.place = place
        self.coversHosts = coversHosts
        self.limit = limit
        isContained = contains
        self.loader = loader
    }
    /// The kinds of source of the container.
    private static let ownNames = Set(
        [Provenance.Source.package, .prefetch, .memory, .disk, .network, .synthetic].map(\.rawValue))

    /// Returns a Boolean value that indicates whether the source probably has the response to a request.
    @_spi(Facade) public func contains(_ request: HTTPRequest) -> Bool {
        (request.method == .get || request.method == .head) && hasHost(of: request) && isContained(request)
    }

    /// Returns a Boolean value that indicates whether the host of a request is one of the source's hosts.
    @_spi(Facade) public func hasHost(of request: HTTPRequest) -> Bool {
        guard let authority = request.authority else { return false }
        return hosts.contains { $0.matches(authority, defaultPort: request.scheme == "http" ? 80 : 443) }
    }
}

extension HostContent: ResourceLoader {
    nonisolated(nonsending) public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard contains(request.head) else { return nil }
        do {
            let loaded = try await withTimeLimit(limit, clock: clock) {
                ResourceError(.timedOut, "no response of the app's content")
            } _: { [loader] in
                try await loader.load(request)
            }
            guard var response = loaded else { return nil }
            response.provenance = Provenance(
                Provenance.Source(rawValue: name), reason: "content of the app: \(response.provenance.reason)")
            return response
        } catch {
            // The request continues without the source, unless its caller has cancelled it.
            try Task.checkCancellation()
            return nil
        }
    }

    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        contains(request.head) ? .later : .known(nil)
    }
}
