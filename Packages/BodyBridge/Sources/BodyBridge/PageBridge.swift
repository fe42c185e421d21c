// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

/// The native side of one view's bridge. It replies to messages of the injected script, and reads the bridge headers of
/// requests.
///
/// Isolation: the main actor, on which engines call it.
@MainActor
public final class PageBridge {
    /// The kind of an intercepted request.
    public enum Reading: Sendable {
        /// A request of the page.
        case request(BridgedRequest)
        /// A request whose body, which the engine has, is a piece of another request's body. Add the piece to the relay
        /// with ``store(_:at:of:)``.
        case piece(BodyID, offset: Int64)
        /// A request whose body, which the engine has, is a message. Reply to the message with
        /// ``answer(to:isAuthentic:provenSite:)``.
        /// - `provenSite`: the site of the script's document; `nil` if the document has not proven its site.
        case message(provenSite: String?)
        /// A request for a worker's script. ``WorkerScript/text(leading:)`` is the body of the response.
        case worker(WorkerScript)
        /// A request for the leading script of a module worker, which runs before the worker's own script. The value is
        /// the leading script.
        case script(String)
        /// A request of a classic worker's leading script for the worker's own script. The value was stored with
        /// ``PageBridge/storeResponse(_:of:)``.
        case storedWorkerScript(ResourceResponse)
    }

    /// The script to inject.
    public let script: InjectedScript
    private let relay: BodyRelay
    private let host: any BridgeHosting
    /// The real URL of the document that the view shows. The bridge does not accept this URL from the script of a
    /// frame, because a false URL could turn third-party cookies into cookies of the page.
    private var documentURL: String
    private var announced = Announcements()
    /// The time against which announcements expire.
    var now: () -> ContinuousClock.Instant = { .now }
    /// The expected requests for the scripts of workers, newest last.
    private var workers: [Expected] = []
    private var workerScripts: WorkerScriptCache
    /// The number of calls of ``removeAll()``, which identifies a document.
    private var visit = 0
    /// The final URLs of redirected requests, newest last.
    private var redirects: [(id: BodyID, url: String)] = []
    /// The proofs of the sites whose documents the view has shown.
    private var proofs: [(token: BridgeToken, site: String)] = []

    /// The maximum number of expected worker scripts. A further script removes the oldest.
    private static let limit = 64
    /// The maximum number of recorded redirects, and the maximum length of a recorded URL, in bytes.
    private static let redirectLimit = 256
    private static let moveURLLimit = 8 << 10
    /// The maximum number of sites of one view that get a proof. Scripts of further sites get no cookies.
    private static let proofLimit = 64

    /// Creates the bridge of one view.
    /// - Parameters:
    ///   - script: the script to inject.
    ///   - documentURL: the real URL of the document that the view is about to show.
    ///   - limits: the limits of the bodies that the page sends.
    ///   - budget: the budget for the bodies of all pages together; `nil` for none.
    ///   - host: the object that decides on the messages of the script.
    public init(
        _ script: InjectedScript, documentURL: String, limits: BodyLimits = .init(), budget: ByteBudget? = nil,
        host: any BridgeHosting
    ) {
        self.documentURL = documentURL
        self.script = script
        relay = BodyRelay(limits: limits, budget: budget)
        workerScripts = WorkerScriptCache(in: relay)
        self.host = host
    }

    /// The prefix of a dialog text that must be passed to ``answer(to:isAuthentic:provenSite:)``.
    public var prefix: String { script.token.text + " " }

    /// Returns the script that proves that a document belongs to a site, or `nil` if the view already has the script or
    /// has scripts of too many sites. Run it only in documents of the site, after ``InjectedScript/page``.
    ///
    /// A document that replaces another document in its window can learn the token of the injected script. It cannot
    /// learn the proof of a site that it does not belong to.
    /// - Parameter site: a name of the site, which is passed to ``BridgeHosting``.
    public func makeProof(_ site: String) -> String? {
        guard proofs.count < Self.proofLimit, !proofs.contains(where: { $0.site == site }) else { return nil }
        let token = BridgeToken()
        proofs.append((token, site))
        return script.proof(token)
    }

    /// Returns the payload without the proof of a site, and the proven site. The payload is `nil` if the proof is
    /// wrong.
    private func verifyProof(_ payload: Substring?) -> (payload: Substring?, site: String?) {
        guard let payload, payload.utf8.first == UInt8(ascii: "+") else { return (payload, nil) }
        let text = payload.dropFirst()
        for proof in proofs {
            if let rest = proof.token.payload(of: text) { return (rest, proof.site) }
        }
        return (nil, nil)
    }

    /// Replies to a message of the script with JSON: `{"value": …}`, or `null` if the text is not a message of this
    /// page's script.
    /// - Parameters:
    ///   - text: the message as JSON. Unless `isAuthentic` is true, it begins with the ``prefix``.
    ///   - isAuthentic: a Boolean value that indicates whether the request that carried the message had the token.
    ///   - provenSite: the site that the request has proven.
    public func answer(to text: String, isAuthentic: Bool = false, provenSite: String? = nil) -> String {
        let (payload, site) = isAuthentic ? (Substring(text), provenSite) : verifyProof(script.token.payload(of: text))
        guard let message = payload.flatMap({ BridgeMessage(json: $0) }) else { return "null" }
        let place = message.place
        switch message.topic {
        case .covers(let url): return json(host.covers(url))
        case .cookies: return json(host.cookies(ofScriptAt: place, in: documentURL, provenSite: site))
        case .setCookie(let text):
            host.setCookie(text, ofScriptAt: place, in: documentURL, provenSite: site)
            return json(true)
        case .announce(let url, let mark, let type, let language):
            announce(url, mark, type, language, provenSite: site)
            return json(true)
        case .worker(let url, let isModule):
            guard let mark = url.lastIndex(of: "#") else { return json(false) }
            expect(Expected(url: withoutFragment(url), id: String(url[url.index(after: mark)...]), isModule: isModule))
            return json(true)
        case .store(let id, let offset, let bytes):
            return json((try? relay.putNow(bytes, at: offset, of: id)) != nil)
        case .moved(let id): return json(redirects.last { $0.id == id }?.url)
        case .framed(let ancestors): return json(host.mayShow(documentAt: place, below: ancestors))
        case .drop(let id):
            relay.drop(id)
            return json(true)
        }
    }

    /// Reads and removes the bridge header of a request.
    /// - Parameters:
    ///   - head: the head of the request, from which the bridge header is removed.
    ///   - fragment: the fragment of the URL that the engine requests, without its `#`.
    /// - Throws: `ResourceError` if a body is requested twice or is too large.
    public func read(_ head: inout HTTPRequest, fragment: String? = nil) throws -> Reading {
        let (mark, site) = mark(of: head.headerFields)
        head.headerFields[.mark] = nil
        if let mark {
            switch mark.purpose {
            case .ask: return .message(provenSite: site)
            case .store(let id, let offset): return .piece(id, offset: offset)
            case .plain, .bodyless, .relayed: return .request(try bridged(mark, provenSite: site))
            }
        }
        let url = head.urlText
        // In the fragment, the id precedes the fragment that the page wrote with its own `#`.
        let id = fragment.map { $0.prefix { $0 != "#" } }
        if head.method == .get, let id, let index = workers.lastIndex(where: { $0.url == url && $0.id == id }) {
            let found = workers.remove(at: index)
            return found.isLeading ? .script(script.worker(id: found.workerID ?? found.id)) : .worker(leading(found))
        }
        let announcement = announced.remove(for: head, at: now())
        drop(announcement.unsent)
        if let found = announcement.found {
            // The body was dropped while its navigation waited for it.
            if let body = found.heldBody, !relay.holds(body.id) { throw Self.dropped }
            if let type = found.contentType { head.headerFields[.contentType] = type }
            if found.mark.id != nil { head.headerFields[.contentLanguage] = found.contentLanguage }
            var bridged = try bridged(found.mark, provenSite: found.provenSite)
            // The announcement names only a URL, so another request to the URL may match it.
            if case .engine = bridged.body { bridged.body = .announced }
            if found.mark.id == nil {
                // A form navigation requests a document.
                bridged.credentials = .unknown
            } else {
                // Only requests without CORS cannot carry the bridge header.
                bridged.requestsWithoutCORS = true
            }
            return .request(bridged)
        }
        if let answer = workerScripts.removeResponse(for: head) { return .storedWorkerScript(answer) }
        return .request(.undescribed)
    }

    /// Returns the bridge header of a request, which only a script with the token can set, and the proven site.
    private func mark(of fields: HTTPFields) -> (mark: BridgeHeader?, site: String?) {
        for field in fields where field.name == .mark {
            // If the page sets a field of this name, the engine joins its value with the value of the script.
            let isJoined = field.value.utf8.contains(UInt8(ascii: ","))
            let values = isJoined ? field.value.split(separator: ", ") : [field.value[...]]
            for value in values {
                let (payload, site) = verifyProof(script.token.payload(of: value))
                if let payload { return (BridgeHeader(payload), site) }
            }
        }
        return (nil, nil)
    }

    /// Assigns an announced form to a form navigation that is about to begin.
    /// - Parameter url: the URL of the navigation, as the engine names it.
    /// - Returns: a closure that waits until the body of the form is complete or dropped; `nil` if the navigation can
    ///   begin now. When the closure returns, the navigation must begin immediately.
    public func wait(forFormTo url: String) -> (@MainActor () async -> Void)? {
        let assigned = announced.assign(toNavigationTo: withoutFragment(url), at: now())
        drop(assigned.ended)
        guard let form = assigned.found else { return nil }
        guard let body = form.heldBody, relay.isIncomplete(body.id) else {
            announced.begin(form, at: now())
            return nil
        }
        return { [weak self, relay] in
            await relay.waitUntilWhole(body.id)
            guard let self else { return }
            announced.begin(form, at: now())
        }
    }

    private func announce(
        _ url: String, _ mark: BridgeHeader, _ type: String?, _ text: String?, provenSite: String?
    ) {
        let isForms = mark.id == nil
        let announcement = Announcements.Announcement(
            url: withoutFragment(url), mark: mark, contentType: type, contentLanguage: isForms ? nil : text,
            sender: isForms ? text : nil, provenSite: provenSite)
        drop(announced.insert(announcement, at: now()))
        // If there is no space for the body, the body is dropped when it arrives, and its request fails.
        if let body = announcement.heldBody { try? relay.hold(body.id, length: body.length) }
    }

    /// Drops the bodies of forms that were not sent.
    private func drop(_ announcements: [Announcements.Announcement]) {
        for announcement in announcements { if let body = announcement.heldBody { relay.drop(body.id) } }
    }

    private static let dropped = ResourceError(.cancelled, "the body of a form was dropped")

    /// Adds a piece of a body to the relay, and returns when there is space for another piece.
    /// - Throws: `ResourceError`.
    public func store(_ piece: ResourceBody, at offset: Int64, of id: BodyID) async throws {
        try await relay.put(piece.collect(upTo: Self.pieceLimit), at: offset, of: id)
    }

    /// The maximum length of a piece, in bytes; the script sends 1 MiB.
    private static let pieceLimit = 4 << 20

    /// Stores the response with a classic worker's own script for the leading script, which requests the worker's
    /// script immediately afterwards. So the server gets only one request.
    ///
    /// The response is dropped with the document. It is not stored if it is larger than 8 MiB or than the free space in
    /// the relay.
    /// - Returns: the number of body bytes read.
    /// - Throws: the errors of reading the body.
    public func storeResponse(_ answer: ResourceResponse, of worker: WorkerScript) async throws -> Int64 {
        let id = BodyID()
        let (read, isWhole) = try await relay.put(whole: answer.body, as: id, upTo: Self.workerScriptLimit)
        if worker.visit != visit {
            relay.drop(id)
        } else if isWhole {
            workerScripts.add(answer, body: id, of: worker.url)
        } else {
            // Older responses of this URL are obsolete.
            workerScripts.drop(worker.url)
        }
        return Int64(read)
    }

    /// The maximum size of a stored worker script, in bytes.
    private static let workerScriptLimit = 8 << 20

    /// Records the final URL of a redirected request, as the page names it. Call this method before the page receives
    /// the response, so that the injected script can request the URL. The bridge keeps the last 256 URLs of up to 8
    /// KiB.
    public func record(_ url: String, of id: BodyID) {
        guard url.utf8.count <= Self.moveURLLimit else { return }
        redirects.append((id, url))
        if redirects.count > Self.redirectLimit { redirects.removeFirst() }
    }

    /// Records that the view shows another document with this real URL, and drops all data of the previous document.
    public func documentChanged(to url: String) {
        documentURL = url
        removeAll()
    }

    /// Drops all bodies, announcements, redirects and worker scripts.
    public func removeAll() {
        announced.removeAll()
        redirects.removeAll()
        workers.removeAll()
        workerScripts.removeAll()
        visit += 1
        relay.removeAll()
    }

    private func leading(_ worker: Expected) -> WorkerScript {
        guard worker.isModule else {
            return WorkerScript(
                isModule: false, url: worker.url, visit: visit,
                prelude: script.worker(id: worker.id) + "\nimportScripts(\(ScriptLiteral.value(worker.url)))")
        }
        // The leading script differs from the worker's own script only in the fragment of its URL. Otherwise the page
        // could see the URL in the positions of errors, and a content security policy could forbid it.
        let id = BridgeToken().text
        expect(Expected(url: worker.url, id: id, isModule: true, isLeading: true, workerID: worker.id))
        return WorkerScript(
            isModule: true, url: worker.url, visit: visit,
            prelude: "import \(ScriptLiteral.value("\(worker.url)#\(id)"));")
    }

    private func expect(_ worker: Expected) {
        workers.append(worker)
        if workers.count > Self.limit { workers.removeFirst() }
    }

    private func bridged(_ mark: BridgeHeader, provenSite: String? = nil) throws -> BridgedRequest {
        let body: BridgedRequest.Body =
            switch mark.purpose {
            case .relayed(let id, let length): .value(try relay.removeBody(id, length: length))
            case .plain: .engine
            case .bodyless, .store, .ask: .none
            }
        return BridgedRequest(
            body: body, isKeptAlive: mark.isKeptAlive, credentials: mark.credentials,
            requestsWithoutCORS: mark.isBeacons,
            followsRedirects: mark.followsRedirects, timeLimit: mark.timeLimit, id: mark.id,
            provenSite: provenSite)
    }

    private func withoutFragment(_ url: String) -> String {
        HTTPRequest(urlText: url)?.urlText ?? url
    }

    /// Returns a value as JSON for the injected script, with percent signs and backslashes percent-encoded. In pages of
    /// some encodings the engine replaces a backslash in the text of a dialog.
    private func json(_ value: some Encodable) -> String {
        ScriptLiteral.value(["value": value]).replacing("%", with: "%25").replacing("\\", with: "%5C")
    }

    /// An expected request for a worker's script, or for the leading script of a module worker.
    private struct Expected {
        var url: String
        /// The id in the fragment of the request's URL.
        var id: String
        var isModule: Bool
        var isLeading = false
        /// The `id` of the worker; `nil` if the request is not for a leading script.
        var workerID: String?
    }
}

extension HTTPField.Name {
    /// The name of the bridge header. The initializer cannot fail, because the name is a token.
    fileprivate static let mark = Self(InjectedScript.field) ?? .expect
}

/// The decisions that the bridge requests from its container for a page's script.
///
/// Isolation: the main actor. The page waits for the results, so they must be available without suspension.
@MainActor
public protocol BridgeHosting: AnyObject {
    /// Returns a Boolean value that indicates whether the container intercepts requests of the page to a real URL.
    func covers(_ url: String) -> Bool
    /// Returns the value of `document.cookie`.
    /// - Parameters:
    ///   - place: the URL of the script's document, with the container's scheme, as claimed by the script.
    ///   - top: the real URL of the document that the view shows, as reported by the engine.
    ///   - provenSite: the site that the script's document has proven, as passed to ``PageBridge/makeProof(_:)``.
    func cookies(ofScriptAt place: String, in top: String, provenSite: String?) -> String
    /// Returns a Boolean value that indicates whether a document may be shown in a frame below documents of these
    /// origins.
    /// - Parameters:
    ///   - place: the URL of the document, with the container's scheme, as claimed by the script.
    ///   - ancestors: the origins, as the engine names them.
    func mayShow(documentAt place: String, below ancestors: [String]) -> Bool
    /// Performs an assignment to `document.cookie`. The parameters are those of ``cookies(ofScriptAt:in:provenSite:)``.
    func setCookie(_ text: String, ofScriptAt place: String, in top: String, provenSite: String?)
}

/// A request of a page with the data of its bridge header.
public struct BridgedRequest: Sendable {
    /// The location of a request's body.
    public enum Body: Sendable {
        /// The script did not describe the request. The engine has the body of the request as plain bytes, or has lost
        /// it.
        case unknown
        /// The engine has the body, if this is the announced request.
        case announced
        /// The request has no body.
        case none
        /// The engine has the body, as plain bytes.
        case engine
        /// The body is the value.
        case value(ResourceBody)
    }

    /// The location of the body.
    public var body = Body.unknown
    /// A Boolean value that indicates whether the request continues after its page is closed.
    public var isKeptAlive = false
    /// The credentials mode that the script set; `unknown` also for requests of elements and documents.
    public var credentials = ResourceRequest.Credentials.unknown
    /// A Boolean value that indicates whether the page's script makes the request without CORS, like a beacon. The
    /// script cannot read a cross-origin response to the request.
    public var requestsWithoutCORS = false
    /// A Boolean value that indicates whether redirects are followed.
    public var followsRedirects = true
    /// The time limit for the whole response; `nil` if the script set no limit.
    public var timeLimit: Duration?
    /// The id with which the script requests the final URL; see ``PageBridge/record(_:of:)``.
    public var id: BodyID?
    /// The site that the script's document has proven; `nil` if it has proven no site. See
    /// ``PageBridge/makeProof(_:)``.
    public var provenSite: String?

    /// A request that the script did not describe.
    public static let undescribed = BridgedRequest()
}
