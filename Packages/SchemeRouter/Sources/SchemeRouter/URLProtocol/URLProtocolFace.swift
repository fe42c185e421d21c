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

/// Answers the app's own requests: those of the URLSessions that are made of a configuration which ``install(in:)`` was
/// called with.
///
/// Nothing is swizzled and no class is registered for the whole process: a session that was not asked for stays as it
/// is. Redirects are followed inside, so a session's delegate hears of none. Where the face is gone, or does not cover a
/// request, the session asks the network itself.
///
/// On Linux, where URLSession does less for protocols, a body is handed over in one piece, up to
/// ``Limits-swift.struct/wholeBody``; upload and download tasks fail with a message that says what to use instead; and a
/// 401 comes without `WWW-Authenticate`, over which URLSession would stumble there. Answers of a session that keeps nothing
/// on disk, as an ephemeral one, are asked for anew and not to be kept (`no-store`).
public final class URLProtocolFace: Sendable {
    /// What the face accepts.
    public struct Limits: Sendable, Hashable {
        /// From how many requests of one method and URL at a time on the next go to the network; 128 by default. A transport
        /// that itself comes back to the face is stopped by this, if by nothing else.
        public var sameRequests = 128
        /// The most bytes of a body that has to be handed over in one piece; 256 MiB by default.
        public var wholeBody = 256 << 20

        /// The defaults.
        public init() {}
    }

    let loader: any ResourceLoader
    let limits: Limits
    let clock: any Clock<Duration>
    let covering: @Sendable (HTTPRequest) -> Bool
    let observer: @Sendable (Report) -> Void
    private let underWay = Mutex<[String: Int]>([:])
    private let types = Mutex<[(settings: SessionSettings, type: RoutedProtocol.Type)]>([])

    /// - Parameters:
    ///   - loader: answers what is covered. Each hop of a redirect asks it again, covered or not.
    ///   - limits: the limits of requests at a time and of bodies.
    ///   - clock: measures the time that a request is without progress, for the time limit of its session.
    ///   - covering: whether a request is answered here. Called on any thread, often, and inside of a lock of
    ///     URLSession's: it must not wait, nor use a session.
    ///   - observer: hears of each request once, when it is over, on any thread.
    public init(
        _ loader: any ResourceLoader, limits: Limits = Limits(), clock: any Clock<Duration> = ContinuousClock(),
        covering: @escaping @Sendable (HTTPRequest) -> Bool,
        observer: @escaping @Sendable (Report) -> Void = { _ in }
    ) {
        self.loader = loader
        self.limits = limits
        self.clock = clock
        self.covering = covering
        self.observer = observer
    }

    deinit {
        for (_, type) in types.withLock({ $0 }) { ProtocolRouteTable.remove(type) }
    }

    /// Puts the face before all else that answers sessions of this configuration. Call it when the configuration is
    /// ready, since its cookies, header fields and time limits count as they are now, and before the session is made.
    ///
    /// Configurations that are alike in these share a class; a new one is made for each that is not.
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

    /// Whether a request of the app is answered here.
    func accepts(_ request: HTTPRequest) -> Bool {
        covering(request) && underWay.withLock { $0[key(request), default: 0] } < limits.sameRequests
    }

    func begin(_ request: HTTPRequest) {
        underWay.withLock { $0[key(request), default: 0] += 1 }
    }

    func end(_ request: HTTPRequest) {
        underWay.withLock { counts in
            let left = counts[key(request), default: 1] - 1
            counts[key(request)] = left > 0 ? left : nil
        }
    }

    private func key(_ request: HTTPRequest) -> String {
        "\(request.method.rawValue) \(request.urlText)"
    }
}
