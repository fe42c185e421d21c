// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import Foundation
internal import HTTPTypes
internal import PublicSuffixList
internal import ResourceLoading
@_spi(Facade) internal import SchemeMode
package import WebEngine

/// The bridges of the pages that are open, in modes where the engine loses something of a request.
///
/// Isolation: the main actor.
@MainActor
package final class BodyBridgeHost {
    /// What a request of the engine is to the bridge.
    enum Reading {
        /// The page's own.
        case request(BridgedBody)
        /// The bridge's, which answers it.
        case own(answer: @MainActor () async throws -> ResourceResponse)
        /// The page's own, of a script that is to come after the bridge's: see ``BodyBridgeHost/lead(_:_:in:)``.
        case worker(WorkerScript, PageBridge)
    }

    private let names: SchemeNames
    private let hasCookies: Bool
    private let host: any BridgeHosting
    private let budget: ByteBudget
    private var bridges: [ViewID: PageBridge] = [:]
    /// The views that also have the script of older pages.
    private var olderViews: Set<ViewID> = []

    /// - Parameters:
    ///   - hasCookies: whether `document.cookie` is the host's to say.
    ///   - budget: what the bodies of all pages are taken from.
    init(names: SchemeNames, hasCookies: Bool, budget: ByteBudget, host: any BridgeHosting) {
        self.names = names
        self.hasCookies = hasCookies
        self.budget = budget
        self.host = host
    }

    /// Gives a view its bridge, before it loads anything.
    /// - Parameters:
    ///   - documentURL: the real URL of the document that it is about to show.
    ///   - legacy: what older pages speak to, where the app wants that.
    ///   - forced: what the page gets although its engine loses nothing; empty where that is not so.
    func begin(
        in view: some EngineView, for documentURL: String, besides legacy: LegacyBridgeHost? = nil,
        forced: ForcedBridges
    ) {
        let script = script(forced)
        let bridge = PageBridge(
            script, documentURL: documentURL, limits: .init(within: budget), budget: budget, host: host)
        bridges[view.id] = bridge
        for text in script.page { view.scripting.add(UserScript(text, at: .documentStart)) }
        // Before all that may read cookies as a document begins.
        if forced.isEmpty, let site = PageSite(of: documentURL, sites: SuffixList()) { prove(site, to: view) }
        // Behind the other one, whose `document.cookie` it uses.
        let older = legacy?.makeBridge(in: view.id, token: script.token)
        if let older {
            view.scripting.add(UserScript(older.page, at: .documentStart))
            olderViews.insert(view.id)
        }
        view.scripting.answerPrompts(startingWith: bridge.prefix) { [weak bridge, weak older] in
            older?.answer(to: $0) ?? bridge?.answer(to: $0) ?? "null"
        }
        view.scripting.holdForms { [weak bridge] in bridge?.wait(forFormTo: $0) }
    }

    /// The scripts that most pages of a container will have, to be run ahead; none where the engine loses nothing.
    package static func sourcesToPrecompile(in mode: InterceptionMode, by traits: EngineTraits) -> [String] {
        mode == .customScheme && traits.bodies == .plain ? InjectedScript.sourcesToPrecompile : []
    }

    private func script(_ forced: ForcedBridges) -> InjectedScript {
        guard !forced.isEmpty else {
            return InjectedScript(
                token: BridgeToken(), secureScheme: names.secure, insecureScheme: names.insecure,
                hasCookies: hasCookies)
        }
        return .forced(
            token: BridgeToken(), hasBodies: forced.contains(.body), hasCookies: forced.contains(.cookie))
    }

    /// Has a view prove the documents of a site to be of that site.
    func prove(_ site: PageSite, to view: any EngineView) {
        guard hasCookies, let name = names.name(for: site.scheme),
            let script = bridges[view.id]?.prove(site.name)
        else { return }
        let hosts = site.hasSubdomains ? [site.domain, "*.\(site.domain)"] : [site.domain]
        let places = hosts.map { "\(name)://\($0)/*" }
        view.scripting.add(UserScript(script, at: .documentStart, places: places))
        // The script of older pages is in front of this one, and has read cookies without the proof.
        guard olderViews.contains(view.id) else { return }
        view.scripting.add(
            UserScript(
                "if(\"original_cookie\"in globalThis)globalThis.original_cookie=document.cookie", at: .documentStart,
                places: places))
    }

    /// The view shows another document, of this real URL: what lies here for the one before is nobody's.
    func documentChanged(to url: String, in view: ViewID) {
        bridges[view]?.documentChanged(to: url)
    }

    /// Forgets what lies here for some of the pages.
    func removeAll(where isMeant: (ViewID) -> Bool = { _ in true }) {
        for (view, bridge) in bridges where isMeant(view) { bridge.removeAll() }
    }

    /// The view is gone, or another page's.
    func end(in view: ViewID) {
        bridges.removeValue(forKey: view)?.removeAll()
        olderViews.remove(view)
    }

    private static let field = HTTPField.Name(InjectedScript.field)

    /// Reads what the page's script says of a request, and takes it out of the request.
    func read(_ request: inout EngineRequest) throws -> Reading {
        guard let bridge = request.view.flatMap({ bridges[$0] }) else {
            // A late request of a page that is closed; nobody else knows the token either.
            if let name = Self.field { request.head.headerFields[name] = nil }
            return .request(BridgedBody())
        }
        let body = request.body
        switch try bridge.read(&request.head, fragment: request.fragment) {
        case .request(let bridged):
            var source = bridged.body
            // Nothing is read of what has no body by its method.
            if case .unknown = source, [.get, .head].contains(request.head.method) { source = .none }
            return .request(
                BridgedBody(
                    body: try value(of: source, body), isKeptAlive: bridged.isKeptAlive,
                    credentials: credentials(bridged.credentials), asksWithoutCORS: bridged.asksWithoutCORS,
                    followsRedirects: bridged.followsRedirects, timeLimit: bridged.timeLimit, id: bridged.id,
                    provenSite: bridged.provenSite))
        case .piece(let id, let offset):
            let piece = try body?() ?? .empty
            return .own {
                try await bridge.store(piece, at: offset, of: id)
                return Self.answer("")
            }
        case .message(let site):
            let message = try body?() ?? .empty
            return .own {
                let text = String(decoding: try await message.collect(upTo: Self.messageLimit), as: UTF8.self)
                return Self.answer(bridge.answer(to: text, isAuthentic: true, provenSite: site))
            }
        case .worker(let script): return .worker(script, bridge)
        case .script(let text): return .own { Self.answer(text, type: "text/javascript") }
        case .storedWorkerScript(let answer): return .own { answer }
        }
    }

    /// The same answer, with a worker's script behind the bridge's. What a classic one's script in front asks for next is
    /// kept for it.
    /// - Returns: the answer, and how many bytes were read for it of the worker's own; `nil` where all are.
    static func lead(
        _ answer: ResourceResponse, _ script: WorkerScript, in bridge: PageBridge
    ) async throws -> (answer: ResourceResponse, own: Int64?) {
        guard answer.head.status == .ok else { return (answer, nil) }
        let module = script.isModule ? try await answer.body.collect(upTo: moduleLimit) : nil
        let own =
            if let module { Int64(module.count) } else { try await bridge.keep(answer, of: script) }
        var led = answer
        led.body = .bytes(Data(script.text(leading: String(decoding: module ?? Data(), as: UTF8.self)).utf8))
        for field in [HTTPField.Name.contentLength, .eTag, .lastModified, .contentEncoding] {
            led.head.headerFields[field] = nil
        }
        return (led, own)
    }

    /// In bytes.
    private static let moduleLimit = 32 << 20

    /// Notes where a request of a view was led to, before its page hears of the answer.
    func record(_ url: String, of id: BodyID, in view: ViewID) {
        bridges[view]?.record(url, of: id)
    }

    /// In bytes.
    private static let messageLimit = 2 << 20

    private func value(
        of body: BridgedRequest.Body, _ engine: (@MainActor @Sendable () throws -> ResourceBody)?
    ) throws -> ResourceBody? {
        switch body {
        case .none: .empty
        case .unknown:
            // Where the engine gives nothing there may have been a Blob, which it has lost.
            switch try engine?() {
            case nil, .some(.empty): nil
            case .some(let body): body
            }
        case .engine, .announced: try engine?() ?? .empty
        case .value(let value): value
        }
    }

    private func credentials(_ said: BridgeHeader.Credentials?) -> ResourceRequest.Credentials {
        switch said {
        case nil: .unknown
        case .sameOrigin: .sameOrigin
        case .omit: .omit
        case .include: .include
        }
    }

    private static func answer(_ text: String, type: String = "application/json") -> ResourceResponse {
        // A sandboxed frame, whose origin is opaque, asks across origins.
        let head = HTTPResponse(
            status: .ok,
            headerFields: [
                .contentType: type, .cacheControl: "no-store", .accessControlAllowOrigin: "*",
            ])
        return ResourceResponse(
            head: head, body: .bytes(Data(text.utf8)), provenance: Provenance(.synthetic, reason: "the bridge"))
    }
}

extension BodyRelay.Limits {
    /// The limits of one page, which cannot have the memory of all pages.
    init(within budget: ByteBudget) {
        self.init()
        bytes = min(bytes, budget.limit / 2)
        lead = min(lead, bytes)
    }
}
