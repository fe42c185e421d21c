// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import BodyBridge
internal import Foundation
internal import HTTPTypes
internal import PublicSuffixList
internal import ResourceLoading
@_spi(Facade) internal import SchemeMode
package import WebEngine

/// The bridges of open pages, in modes in which the engine loses parts of requests.
///
/// Isolation: the main actor.
@MainActor
package final class BodyBridgeHost {
    /// The role of an engine request for the bridge.
    enum Reading {
        /// A request of the page; `body` is `nil` if it is unknown whether the request has a body.
        case request(BridgedRequest, body: ResourceBody?)
        /// A request of the bridge, which the bridge answers.
        case own(answer: @MainActor () async throws -> ResourceResponse)
        /// A request of the page for a worker script, which the bridge's script must precede: see
        /// ``BodyBridgeHost/lead(_:_:in:)``.
        case worker(WorkerScript, PageBridge)
    }

    private let names: SchemeNames
    private let hasCookies: Bool
    private let host: any BridgeHosting
    private let budget: ByteBudget
    private var bridges: [ViewID: PageBridge] = [:]
    /// The views that also have the legacy bridge.
    private var olderViews: Set<ViewID> = []

    /// Creates a host without bridges.
    /// - Parameters:
    ///   - names: the custom schemes.
    ///   - hasCookies: a Boolean value that indicates whether the container provides `document.cookie`.
    ///   - budget: the memory budget of the request bodies of all pages.
    ///   - host: the container's side of the bridges.
    init(names: SchemeNames, hasCookies: Bool, budget: ByteBudget, host: any BridgeHosting) {
        self.names = names
        self.hasCookies = hasCookies
        self.budget = budget
        self.host = host
    }

    /// Adds a bridge to a view. Must be called before the view loads a document.
    /// - Parameters:
    ///   - view: the view.
    ///   - documentURL: the real URL of the document that the view is about to load.
    ///   - legacy: the host of legacy bridges; `nil` if the app does not support legacy pages.
    ///   - forced: the bridges for an engine that needs none; empty if the engine needs the bridge.
    func begin(
        in view: some EngineView, for documentURL: String, besides legacy: LegacyBridgeHost? = nil,
        forced: ForcedBridges
    ) {
        let script = script(forced)
        let bridge = PageBridge(
            script, documentURL: documentURL, limits: .init(within: budget), budget: budget, host: host)
        bridges[view.id] = bridge
        for text in script.page { view.scripting.add(UserScript(text, at: .documentStart)) }
        // The proof precedes all scripts that may read cookies at the start of a document.
        if forced.isEmpty, let site = PageSite(of: documentURL, sites: SuffixList()) { addProof(site, to: view) }
        // The legacy script follows the script of the bridge, because it uses the `document.cookie` of the bridge.
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

    /// Returns the scripts that most pages use, for compilation in advance. Empty if the engine needs no bridge.
    package static func sourcesToPrecompile(in mode: InterceptionMode, by traits: EngineTraits) -> [String] {
        mode == .customScheme && traits.bodies == .plain ? InjectedScript.sourcesToPrecompile : []
    }

    private func script(_ forced: ForcedBridges) -> InjectedScript {
        guard !forced.isEmpty else {
            return InjectedScript(
                token: BridgeToken(), secureScheme: names.secure, insecureScheme: names.insecure,
                aliases: names.aliases.sorted(), hasCookies: hasCookies)
        }
        return .forced(
            token: BridgeToken(), hasBodies: forced.contains(.body), hasCookies: forced.contains(.cookie))
    }

    /// Adds a script to a view that proves to the bridge that a document belongs to a site.
    func addProof(_ site: PageSite, to view: any EngineView) {
        guard hasCookies, let name = names.name(for: site.scheme),
            let script = bridges[view.id]?.makeProof(site.name)
        else { return }
        let hosts = site.hasSubdomains ? [site.domain, "*.\(site.domain)"] : [site.domain]
        let places = hosts.map { "\(name)://\($0)/*" }
        view.scripting.add(UserScript(script, at: .documentStart, places: places))
        // The script of the legacy bridge runs earlier, and has read the cookies without the proof.
        guard olderViews.contains(view.id) else { return }
        view.scripting.add(
            UserScript(
                "if(\"original_cookie\"in globalThis)globalThis.original_cookie=document.cookie", at: .documentStart,
                places: places))
    }

    /// Records that a view shows another document, and removes the data of the previous document.
    /// - Parameters:
    ///   - url: the real URL of the document.
    ///   - view: the view.
    func documentChanged(to url: String, in view: ViewID) {
        bridges[view]?.documentChanged(to: url)
    }

    /// Removes the data of the pages in the views for which the predicate returns `true`.
    func removeAll(where isIncluded: (ViewID) -> Bool) {
        for (view, bridge) in bridges where isIncluded(view) { bridge.removeAll() }
    }

    /// Removes the bridge of a view that has ended or is used by another page.
    func end(in view: ViewID) {
        bridges.removeValue(forKey: view)?.removeAll()
        olderViews.remove(view)
    }

    private static let field = HTTPField.Name(InjectedScript.field)

    /// Reads the bridge's information about a request, and removes it from the request.
    func read(_ request: inout EngineRequest) throws -> Reading {
        guard let bridge = request.view.flatMap({ bridges[$0] }) else {
            // The page of this request is closed. The bridge field is removed, because no other bridge accepts its
            // token.
            if let name = Self.field { request.head.headerFields[name] = nil }
            return .request(.undescribed, body: nil)
        }
        let body = request.body
        switch try bridge.read(&request.head, fragment: request.fragment) {
        case .request(let bridged):
            var source = bridged.body
            // GET and HEAD requests have no body.
            if case .unknown = source, [.get, .head].contains(request.head.method) { source = .none }
            return .request(bridged, body: try value(of: source, body))
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

    /// Adds the bridge's script before the script of a worker. For a classic worker, the original script is stored, and
    /// the bridge's script requests it next. The script of a module worker is included in the response.
    /// - Returns: the response, and the number of bytes of the original script that were read. The number is `nil` if
    ///   the body was not changed.
    static func lead(
        _ answer: ResourceResponse, _ script: WorkerScript, in bridge: PageBridge
    ) async throws -> (answer: ResourceResponse, own: Int64?) {
        guard answer.head.status == .ok else { return (answer, nil) }
        let module = script.isModule ? try await answer.body.collect(upTo: moduleLimit) : nil
        let own =
            if let module { Int64(module.count) } else { try await bridge.storeResponse(answer, of: script) }
        var led = answer
        led.body = .bytes(Data(script.text(leading: String(decoding: module ?? Data(), as: UTF8.self)).utf8))
        for field in [HTTPField.Name.contentLength, .eTag, .lastModified, .contentEncoding] {
            led.head.headerFields[field] = nil
        }
        return (led, own)
    }

    /// The maximum size of a module worker's script, in bytes.
    private static let moduleLimit = 32 << 20

    /// Records the redirected URL of a response, before the page receives the response.
    func record(_ url: String, of id: BodyID, in view: ViewID) {
        bridges[view]?.record(url, of: id)
    }

    /// The maximum size of a message, in bytes.
    private static let messageLimit = 2 << 20

    private func value(
        of body: BridgedRequest.Body, _ engine: (@MainActor @Sendable () throws -> ResourceBody)?
    ) throws -> ResourceBody? {
        switch body {
        case .none: .empty
        case .unknown:
            // If the engine provides no body, it may have lost a Blob.
            switch try engine?() {
            case nil, .some(.empty): nil
            case .some(let body): body
            }
        case .engine, .announced: try engine?() ?? .empty
        case .value(let value): value
        }
    }

    private static func answer(_ text: String, type: String = "application/json") -> ResourceResponse {
        // A sandboxed frame has an opaque origin, so its requests are cross-origin.
        let head = HTTPResponse(
            status: .ok,
            headerFields: [
                .contentType: type, .cacheControl: "no-store", .accessControlAllowOrigin: "*",
            ])
        return ResourceResponse(
            head: head, body: .bytes(Data(text.utf8)), provenance: Provenance(.synthetic, reason: "the bridge"))
    }
}

extension BodyLimits {
    /// Creates the limits of one page. A page can use half of the memory of all pages at most.
    init(within budget: ByteBudget) {
        self.init()
        bytes = min(bytes, budget.limit / 2)
        lead = min(lead, bytes)
    }
}
