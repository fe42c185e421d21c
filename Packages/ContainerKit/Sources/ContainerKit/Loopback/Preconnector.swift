// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import LoopbackServer
internal import ResourceLoading
internal import WebEngine

/// Has the engine connect to the proxy ahead, for origins that the next pages are likely to be of: to make TLS takes an
/// engine longer than all the rest of a packaged page's first answer (docs/decisions/0041). Nothing leaves the device, as
/// the proxy asks no server before there is a request; so only origins may be wanted in whose place it stands.
///
/// Isolation: the main actor.
@MainActor
final class Preconnector {
    /// The most origins: each costs the engine some ten milliseconds, and a connection that it keeps for a minute.
    static let most = 4
    /// How long connections are waited for, at most: a page that opens before one is there makes another.
    static let limit = Duration.seconds(1)

    private struct Wait {
        var missing: Set<HostPort>
        let end: AsyncStream<Void>.Continuation
    }

    private let clock: any Clock<Duration>
    /// Documents that were opened by the proxy, one of each origin, newest first.
    private var recent: [String] = []
    private var waits: [UInt64: Wait] = [:]
    private var lastWait: UInt64 = 0

    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// Hears of pages and connections from now on.
    func listen(to hub: EventHub) {
        hub.observePermanently { [weak self] event in
            switch event {
            case .pageOpened(let session) where session.mode == .loopbackProxy: self?.record(session.documentURL)
            case .loopback(.connected(let host)): self?.arrive(host)
            default: break
            }
        }
    }

    /// Connects in a view that shows a blank page, and returns when the connections are there, or when the limit is over.
    /// - Parameters:
    ///   - places: URLs whose origins come after those of the last pages, as of packages.
    ///   - isWanted: whether a page at a URL opens by the proxy, which stands in its host's place and has no connection for
    ///     it.
    func connect(
        in view: some EngineView, besides places: [String], where isWanted: (String, HostPort) -> Bool
    ) async {
        // What somebody else has asked for is waited for, and not asked for again: the proxy may not know of it yet.
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
        let list = origins.map(InitialPageData.literal).joined(separator: ", ")
        // The script checks the URL, since a page may have replaced the blank one. A connection cannot be taken back.
        _ = try? await page.evaluate(
            """
            if (location.href === 'about:blank') for (const href of [\(list)]) {
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

    private func record(_ url: String) {
        let origin = WebOrigin(url: url)
        recent.removeAll { WebOrigin(url: $0) == origin }
        recent.insert(url, at: 0)
        if recent.count > Self.most { recent.removeLast() }
    }

    private func arrive(_ host: HostPort) {
        for id in waits.keys {
            waits[id]?.missing.remove(host)
            if waits[id]?.missing.isEmpty == true { waits[id]?.end.finish() }
        }
    }
}
