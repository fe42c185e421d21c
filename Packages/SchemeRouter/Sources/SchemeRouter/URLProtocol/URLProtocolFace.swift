// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes
public import ResourceLoading

#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A responder to the app's own requests, for URLSessions whose configuration was passed to ``install(in:)``.
///
/// It uses no swizzling and registers no class for the process, so other sessions are unaffected. Redirects are
/// followed internally, and the delegate of a session does not receive them. If the face is released or does not cover
/// a request, the session uses the network.
///
/// On Linux, URLSession supports protocols less completely. A body is delivered in one piece of at most
/// ``Limits-swift.struct/wholeBody`` bytes. Upload and download tasks fail with an error message that names an
/// alternative. A 401 response has no `WWW-Authenticate`, because URLSession would crash on it. Requests of a session
/// that stores nothing on disk, such as an ephemeral one, have `no-cache` and `no-store`.
public final class URLProtocolFace: Sendable {
    /// The limits of a face.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of concurrent requests with the same method, origin and path; 1,024 by default. Further
        /// requests go to the network. This ends a recursion if the code of the loader uses a session with this face
        /// and does not mark its requests.
        public var sameRequests = 1_024
        /// The maximum size in bytes of a body that is delivered in one piece; 256 MiB by default.
        public var wholeBody = 256 << 20

        /// Creates the default limits.
        public init() {}
    }

    let loader: any ResourceLoader
    let limits: Limits
    let clock: any Clock<Duration>
    let covering: @Sendable (HTTPRequest) -> Bool
    let observer: @Sendable (Report) -> Void
    private let outgoing: OutgoingRequests
    /// The numbers of requests in progress.
    private let counts = Mutex<[RequestKey: Int]>([:])
    private let types = Mutex<[(settings: SessionSettings, type: RoutedProtocol.Type)]>([])

    /// Creates a face.
    /// - Parameters:
    ///   - loader: The loader of covered requests. It also loads each redirect target, even if it is not covered.
    ///   - limits: The limits of concurrent requests and of bodies.
    ///   - outgoing: The requests of the loader that the face does not handle. A loader whose code may use a session
    ///     with this face runs it in `OutgoingRequests.marking(_:_:)`.
    ///   - clock: The clock for the timeouts of sessions.
    ///   - covering: A closure that returns whether the face handles a request. It is called often, on any thread and
    ///     under a lock of URLSession, so it must neither block nor use a session.
    ///   - observer: A closure that is called once for each request when it has ended, on any thread.
    public init(
        _ loader: any ResourceLoader, limits: Limits = Limits(),
        outgoing: OutgoingRequests = OutgoingRequests(), clock: any Clock<Duration> = ContinuousClock(),
        covering: @escaping @Sendable (HTTPRequest) -> Bool,
        observer: @escaping @Sendable (Report) -> Void = { _ in }
    ) {
        self.loader = loader
        self.limits = limits
        self.outgoing = outgoing
        self.clock = clock
        self.covering = covering
        self.observer = observer
    }

    deinit {
        for (_, type) in types.withLock({ $0 }) { ProtocolRouteTable.remove(type) }
    }

    /// Installs the face as the first protocol of a session configuration. Call it when the configuration is complete
    /// and before the session is created, because the current cookies, header fields and timeouts are used.
    ///
    /// Configurations with equal settings share a protocol class.
    public func install(in configuration: URLSessionConfiguration) {
        let settings = SessionSettings(configuration)
        let type = types.withLock { types in
            if let known = types.first(where: { $0.settings == settings }) { return known.type }
            let type = ProtocolRouteTable.makeType(for: ProtocolRoute(self, settings))
            types.append((settings, type))
            return type
        }
        let others = (configuration.protocolClasses ?? []).filter { !($0 is RoutedProtocol.Type) }
        configuration.protocolClasses = [type] + others
    }

    /// Returns a Boolean value that indicates whether the face handles a request of the app.
    func accepts(_ request: HTTPRequest) -> Bool {
        covering(request) && !outgoing.contains(request)
            && counts.withLock { $0[RequestKey(request), default: 0] } < limits.sameRequests
    }

    /// Counts a request that the face begins to handle.
    func begin(_ request: HTTPRequest) {
        counts.withLock { $0[RequestKey(request), default: 0] += 1 }
    }

    /// Ends the count of a request.
    func end(_ request: HTTPRequest) {
        let key = RequestKey(request)
        counts.withLock { counts in
            let left = counts[key, default: 1] - 1
            counts[key] = left > 0 ? left : nil
        }
    }

    /// The parts of a request that are equal in each pass of a recursion, which may change the query.
    private struct RequestKey: Hashable {
        private let method: String
        private let origin: WebOrigin?
        private let path: Substring

        init(_ request: HTTPRequest) {
            method = request.method.rawValue
            origin = request.webOrigin
            let target = request.path ?? "/"
            path = target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
        }
    }
}
