// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import Foundation
internal import ResourceLoading
internal import WebEngine

/// Makes the engine connect to the proxy ahead, for the origins that the next pages are likely to have: TLS takes an
/// engine longer than the rest of the first response of a packaged page (docs/decisions/0041). Nothing leaves the
/// device, because the proxy connects to no server before there is a request; so only origins that the proxy intercepts
/// may be wanted.
///
/// Isolation: the main actor.
@MainActor
final class Preconnector {
    /// The most origins: each takes the engine some ten milliseconds, and a connection that it keeps for a minute.
    static let most = 4
    /// The longest wait for connections. A page that opens before its connection is there makes another one.
    static let limit = Duration.seconds(1)

    private struct Wait {
        var missing: Set<HostPort>
        let end: AsyncStream<Void>.Continuation
    }

    private let clock: any Clock<Duration>
    /// The documents that were opened by the proxy, one of each origin, newest first.
    private var recent: [String] = []
    private var waits: [UInt64: Wait] = [:]
    private var lastWait: UInt64 = 0

    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// Records the origin of a page that opens by the proxy.
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

    /// Connects in a view that shows a blank page, and returns when the connections are there or the limit is over.
    /// - Parameters:
    ///   - view: the view.
    ///   - places: URLs whose origins come after those of the last pages, such as those of packages.
    ///   - isWanted: a predicate that returns `true` if a page at a URL opens by the proxy, the proxy intercepts its
    ///     host, and the engine has no connection to it.
    func connect(
        in view: some EngineView, besides places: [String], where isWanted: (String, HostPort) -> Bool
    ) async {
        // The connections that another call has begun are awaited and not begun again: the proxy may not have them yet.
        let pending = waits.values.reduce(into: Set()) { $0.formUnion($1.missing) }
        let origins = origins(besides: places) { pending.contains($1) || isWanted($0, $1) }
        guard !origins.isEmpty else { return }
        let asked = origins.filter { !pending.contains($0.key) }.values.sorted()
        let (ends, end) = AsyncStream<Void>.makeStream()
        lastWait += 1
        let id = lastWait
        waits[id] = Wait(missing: Set(origins.keys), end: end)
        try? await withLimit(Self.limit, clock: clock) {
            if !asked.isEmpty { await Self.connect(to: asked, in: view.scripting) }
            for await _ in ends {}
        }
        waits[id] = nil
    }

    /// Connects as a page does, by `<link rel=preconnect>` (HTML, "link type preconnect").
    private static func connect(to origins: [String], in page: any ViewScripting) async {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let list = try? encoder.encode(origins) else { return }
        // The script checks the URL, since a page may have replaced the blank one. A connection cannot be undone.
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
