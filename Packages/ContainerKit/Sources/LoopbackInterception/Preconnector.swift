// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading
internal import WebEngine
internal import WebSyntax

/// The controller of connections that the engine opens to the proxy in advance, for the probable origins of the next
/// pages. For a package page the TLS handshake takes an engine longer than the rest of the first response
/// (docs/decisions/0041).
///
/// The proxy connects to no server before it receives a request, so nothing leaves the device. Only origins that the
/// proxy intercepts may be requested.
///
/// Isolation: the main actor.
@MainActor
final class Preconnector {
    /// The maximum number of origins. Each connection costs the engine about ten milliseconds. The engine keeps the
    /// connection for one minute.
    static let most = 4
    /// The maximum time to wait for connections. A page that opens before its connection exists makes another
    /// connection.
    static let limit = Duration.seconds(1)

    private struct Wait {
        var missing: Set<HostPort>
        let end: AsyncStream<Void>.Continuation
    }

    private let clock: any Clock<Duration>
    /// The URLs of documents that were opened through the proxy, one for each origin, newest first.
    private var recent: [String] = []
    private var waits: [UInt64: Wait] = [:]
    private var lastWait: UInt64 = 0

    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// Records the origin of a page that opens through the proxy.
    func pageDidOpen(_ session: PageSession) {
        guard session.mode == .loopbackProxy else { return }
        let origin = WebOrigin(url: session.documentURL)
        recent.removeAll { WebOrigin(url: $0) == origin }
        recent.insert(session.documentURL, at: 0)
        if recent.count > Self.most { recent.removeLast() }
    }

    /// Records a connection of the engine.
    func engineDidConnect(to host: HostPort) {
        for id in waits.keys {
            waits[id]?.missing.remove(host)
            if waits[id]?.missing.isEmpty == true { waits[id]?.end.finish() }
        }
    }

    /// Connects in a view that shows a blank page. Returns when the connections exist or the limit is exceeded.
    /// - Parameters:
    ///   - view: the view.
    ///   - places: URLs whose origins follow those of the last pages, such as the base URLs of packages.
    ///   - isWanted: a predicate that returns `true` if a page at the URL opens through the proxy, the proxy intercepts
    ///     its host, and the engine has no connection to the host.
    func connect(
        in view: some EngineView, besides places: [String], where isWanted: (String, HostPort) -> Bool
    ) async {
        // Wait for the connections that a concurrent call has started, and do not start them again. The proxy may not
        // have accepted these connections yet.
        let pending = waits.values.reduce(into: Set()) { $0.formUnion($1.missing) }
        let origins = origins(besides: places) { pending.contains($1) || isWanted($0, $1) }
        guard !origins.isEmpty else { return }
        let requestedOrigins = origins.filter { !pending.contains($0.key) }.values.sorted()
        let (ends, end) = AsyncStream<Void>.makeStream()
        lastWait += 1
        let id = lastWait
        waits[id] = Wait(missing: Set(origins.keys), end: end)
        try? await withLimit(Self.limit, clock: clock) {
            if !requestedOrigins.isEmpty { await Self.connect(to: requestedOrigins, in: view.scripting) }
            for await _ in ends {}
        }
        waits[id] = nil
    }

    /// Connects with `<link rel=preconnect>` (HTML, "Link type preconnect").
    private static func connect(to origins: [String], in page: any ViewScripting) async {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let list = try? encoder.encode(origins) else { return }
        // The script checks the URL, because a page may have replaced the blank page. A connection cannot be undone.
        _ = try? await page.evaluate(
            """
            if (location.href === 'about:blank') for (const href of \(String(decoding: list, as: UTF8.self))) {
                const link = Object.assign(document.createElement('link'), { rel: 'preconnect', href });
                document.head.append(link);
                link.remove();
            }
            """, in: .page)
    }

    private func origins(
        besides places: [String], where isWanted: (String, HostPort) -> Bool
    ) -> [HostPort: String] {
        var origins: [HostPort: String] = [:]
        for url in recent + places {
            guard origins.count < Self.most else { break }
            guard let origin = WebOrigin(url: url), origin.scheme == "https",
                let host = HostPort(origin.authority, defaultPort: 443), origins[host] == nil, isWanted(url, host)
            else { continue }
            origins[host] = origin.description
        }
        return origins
    }
}
