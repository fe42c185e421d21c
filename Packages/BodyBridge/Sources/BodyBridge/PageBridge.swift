// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

/// The container's end of one view's bridge: what the injected script asks and brings, and what its requests are.
///
/// Isolation: the main actor, where engines ask.
@MainActor
public final class PageBridge {
    /// What a request of the engine is.
    public enum Reading: Sendable {
        /// One of the page's.
        case request(BridgedRequest)
        /// It brings a piece of a body, which the engine has: put it into the relay with ``store(_:at:of:)``.
        case piece(BodyID, offset: Int64)
        /// It brings a question, which the engine has: answer it with ``answer(to:isAuthentic:provenSite:)``.
        /// - `provenSite`: the site that the script's document has proven to be of.
        case message(provenSite: String?)
        /// It asks for a worker's script: ``WorkerScript/text(leading:)`` is to be its answer's.
        case worker(WorkerScript)
        /// It asks for the script in front of a worker's, which this is.
        case script(String)
        /// The script in front asks for the worker's own, which was kept with ``keep(_:of:)``.
        case storedWorkerScript(ResourceResponse)
    }

    /// The script to inject.
    public let script: InjectedScript
    private let relay: BodyRelay
    private let host: any BridgeHosting
    /// The real URL of the document that the view shows. What a script says of the page around it may be a lie: cookies
    /// of another site would be a page's own by that.
    private var documentURL: String
    private var announced = Announcements()
    /// The time by which announcements expire.
    var now: () -> ContinuousClock.Instant = { .now }
    /// Scripts of workers that are to be asked for, newest last.
    private var workers: [Expected] = []
    private var workerScripts: WorkerScriptCache
    /// Counts how often all that is here was forgotten.
    private var visit = 0
    /// Where redirects of requests have led to, newest last.
    private var redirects: [(id: BodyID, url: String)] = []
    /// The proofs of sites whose documents the view has shown.
    private var proofs: [(token: BridgeToken, site: String)] = []

    /// The most scripts of workers that are to be asked for; the oldest goes first.
    private static let limit = 64
    /// The most redirected requests that the script may still ask of, and the longest URL that it is told, in bytes.
    private static let redirectLimit = 256
    private static let moveURLLimit = 8 << 10
    /// The most sites of one view that get a proof: scripts of the others get no cookies.
    private static let proofLimit = 64

    /// - Parameters:
    ///   - script: the script to inject.
    ///   - documentURL: the real URL of the document that the view is about to show.
    ///   - limits: the limits of the bodies that the page hands over.
    ///   - budget: what all pages' bodies together are taken from; `nil` for none.
    ///   - host: answers what is not the bridge's own to say.
    public init(
        _ script: InjectedScript, documentURL: String, limits: BodyRelay.Limits = .init(), budget: ByteBudget? = nil,
        host: any BridgeHosting
    ) {
        self.documentURL = documentURL
        self.script = script
        relay = BodyRelay(limits: limits, budget: budget)
        workerScripts = WorkerScriptCache(in: relay)
        self.host = host
    }

    /// What a text of a dialog begins with that is for ``answer(to:isAuthentic:provenSite:)``.
    public var prefix: String { script.token.text + " " }

    /// Returns the script that proves documents to be of a site, for such documents alone, after ``InjectedScript/page``;
    /// `nil` if the view has it already.
    ///
    /// A document that has taken the window of another one can learn the token of the injected script. It cannot learn the
    /// proof of a site that it is not of.
    /// - Parameter site: a name of the site, which ``BridgeHosting`` is given back.
    public func prove(_ site: String) -> String? {
        guard proofs.count < Self.proofLimit, !proofs.contains(where: { $0.site == site }) else { return nil }
        let token = BridgeToken()
        proofs.append((token, site))
        return script.proof(token)
    }

    /// What follows the token without the proof of a site, and the site that it proves. Nothing follows a wrong proof.
    private func proven(_ payload: Substring?) -> (payload: Substring?, site: String?) {
        guard let payload, payload.utf8.first == UInt8(ascii: "+") else { return (payload, nil) }
        let text = payload.dropFirst()
        for proof in proofs {
            if let rest = proof.token.payload(of: text) { return (rest, proof.site) }
        }
        return (nil, nil)
    }

    /// Answers a question of the script, with or without its ``prefix``, as JSON: `{"value": …}`.
    ///
    /// What is not a question of this page's script gets `null`.
    /// - Parameters:
    ///   - text: the question as JSON. Unless `isAuthentic` is true, it begins with the ``prefix``.
    ///   - isAuthentic: whether the request that brought it has shown the token.
    ///   - provenSite: the site that this request has proven.
    public func answer(to text: String, isAuthentic: Bool = false, provenSite: String? = nil) -> String {
        let (payload, proven) = isAuthentic ? (Substring(text), provenSite) : proven(script.token.payload(of: text))
        guard let message = payload.flatMap({ BridgeMessage(json: $0) }) else { return "null" }
        let place = message.place
        switch message.topic {
        case .covers(let url): return json(host.covers(url))
        case .cookies: return json(host.cookies(ofScriptAt: place, in: documentURL, provenSite: proven))
        case .setCookie(let text):
            host.setCookie(text, ofScriptAt: place, in: documentURL, provenSite: proven)
            return json(true)
        case .announce(let url, let mark, let type, let language):
            announce(url, mark, type, language, provenSite: proven)
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

    /// Reads what the script says of a request, and takes it out of the request.
    /// - Parameters:
    ///   - head: the head of the request, from which the field of the script is removed.
    ///   - fragment: the fragment of the URL that the engine asks for, without its `#`.
    /// - Throws: `ResourceError`, as ``BodyRelay`` does for a body that is asked for twice or is too large.
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
        // An id is followed by what the page wrote, with its `#`.
        let id = fragment.map { $0.prefix { $0 != "#" } }
        if head.method == .get, let id, let index = workers.lastIndex(where: { $0.url == url && $0.id == id }) {
            let found = workers.remove(at: index)
            return found.isLeading ? .script(script.worker(id: found.workerID ?? found.id)) : .worker(leading(found))
        }
        let announcement = announced.remove(for: head, at: now())
        drop(announcement.unsent)
        if let found = announcement.found {
            // It was dropped while its navigation waited for it.
            if let body = found.heldBody, !relay.holds(body.id) { throw Self.dropped }
            if let type = found.contentType { head.headerFields[.contentType] = type }
            if found.mark.id != nil { head.headerFields[.contentLanguage] = found.contentLanguage }
            var bridged = try bridged(found.mark, provenSite: found.provenSite)
            // It was said of a place, and not of this request.
            if case .engine = bridged.body { bridged.body = .announced }
            if found.mark.id == nil {
                // A form's: a document is asked for.
                bridged.credentials = nil
            } else {
                // It can have no field of the script's: only without CORS is that so.
                bridged.asksWithoutCORS = true
            }
            return .request(bridged)
        }
        if let answer = workerScripts.removeResponse(for: head) { return .storedWorkerScript(answer) }
        return .request(BridgedRequest())
    }

    /// What the script says in its header field, and a page that does not know its token cannot.
    private func mark(of fields: HTTPFields) -> (mark: BridgeHeader?, site: String?) {
        for field in fields where field.name == .mark {
            // What a page sets itself under this name the engine joins with what the script sets.
            let isJoined = field.value.utf8.contains(UInt8(ascii: ","))
            let values = isJoined ? field.value.split(separator: ", ") : [field.value[...]]
            for value in values {
                let (payload, site) = proven(script.token.payload(of: value))
                if let payload { return (BridgeHeader(payload), site) }
            }
        }
        return (nil, nil)
    }

    /// Assigns an announced form to a navigation of a form that is about to begin.
    /// - Parameter url: of the navigation, as the engine names it.
    /// - Returns: a wait for the form's body to be whole, or to be dropped, after which the navigation begins at once;
    ///   `nil` if it can begin now.
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
        // Without room for it the body is dropped as soon as it arrives, and its request fails.
        if let body = announcement.heldBody { try? relay.hold(body.id, length: body.length) }
    }

    /// Drops the bodies of forms that were not sent.
    private func drop(_ announcements: [Announcements.Announcement]) {
        for announcement in announcements { if let body = announcement.heldBody { relay.drop(body.id) } }
    }

    private static let dropped = ResourceError(.cancelled, "the body of a form was dropped")

    /// Puts a piece of a body into the relay; returns when there is room for another.
    /// - Throws: `ResourceError`.
    public func store(_ piece: ResourceBody, at offset: Int64, of id: BodyID) async throws {
        try await relay.put(piece.collect(upTo: Self.pieceLimit), at: offset, of: id)
    }

    /// In bytes; the script sends 1 MB.
    private static let pieceLimit = 4 << 20

    /// Keeps the answer with a classic worker's own script for the script in front of it, which asks for it a moment
    /// later: so the server is asked once. It goes with the document. One that is larger than 8 MB, or than there is room
    /// for in the relay, is not kept.
    /// - Returns: how many bytes of the body were read.
    /// - Throws: what the body does.
    public func keep(_ answer: ResourceResponse, of worker: WorkerScript) async throws -> Int64 {
        let id = BodyID()
        let (read, isWhole) = try await relay.put(whole: answer.body, as: id, upTo: Self.keptLimit)
        if worker.visit != visit {
            relay.drop(id)
        } else if isWhole {
            workerScripts.add(answer, body: id, of: worker.url)
        } else {
            // Older ones of this URL are not what is asked for next.
            workerScripts.drop(worker.url)
        }
        return Int64(read)
    }

    /// The largest script of a worker that is kept, in bytes.
    private static let keptLimit = 8 << 20

    /// Notes where a request's redirects have led to, under the name by which the page knows it: before the page hears of
    /// the answer, so that its script can ask. The last 256 are kept, of URLs up to 8 KB.
    public func record(_ url: String, of id: BodyID) {
        guard url.utf8.count <= Self.moveURLLimit else { return }
        redirects.append((id, url))
        if redirects.count > Self.redirectLimit { redirects.removeFirst() }
    }

    /// The view shows another document, of this real URL: what lies here for the one before is nobody's.
    public func documentChanged(to url: String) {
        documentURL = url
        removeAll()
    }

    /// Forgets bodies, announcements, redirects and scripts of workers.
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
        // Not in a URL of its own: places in a script are told to the page by URL, and the page by policy may forbid it.
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
            body: body, isKeptAlive: mark.isKeptAlive, credentials: mark.credentials, asksWithoutCORS: mark.isBeacons,
            followsRedirects: mark.followsRedirects, timeLimit: mark.timeLimit, id: mark.id,
            provenSite: provenSite)
    }

    private func withoutFragment(_ url: String) -> String {
        HTTPRequest(urlText: url)?.urlText ?? url
    }

    /// Returns a value as JSON for the injected script, with percent signs and backslashes percent-encoded: in pages of some
    /// encodings the engine replaces a backslash in the text of a dialog.
    private func json(_ value: some Encodable) -> String {
        ScriptLiteral.value(["value": value]).replacing("%", with: "%25").replacing("\\", with: "%5C")
    }

    /// A worker's script, or the one in front of a module's.
    private struct Expected {
        var url: String
        /// The end of the URL that asks for it.
        var id: String
        var isModule: Bool
        var isLeading = false
        /// The worker's own `id`, where this is in front of it.
        var workerID: String?
    }
}

extension HTTPField.Name {
    /// Never `nil`: the name is a token.
    fileprivate static let mark = Self(InjectedScript.field) ?? .expect
}

/// What the bridge asks its container on behalf of a page's script.
///
/// Isolation: the main actor. The answers are waited for by the page: they have to be there at once.
@MainActor
public protocol BridgeHosting: AnyObject {
    /// Whether requests of the page to a real URL are to come to the container.
    func covers(_ url: String) -> Bool
    /// What `document.cookie` reads.
    /// - Parameters:
    ///   - place: the URL of the script's document, under the container's name, by the script's own word.
    ///   - top: the real URL of the document that the view shows, by the engine's word.
    ///   - provenSite: the site, as given to ``PageBridge/prove(_:)``, that the script's document has proven to be of.
    func cookies(ofScriptAt place: String, in top: String, provenSite: String?) -> String
    /// Returns a Boolean value that indicates whether a document may be shown in a frame below documents of these origins.
    /// - Parameters:
    ///   - place: the URL of the document, under the container's name, by the script's own word.
    ///   - ancestors: the origins, as the engine names them.
    func mayShow(documentAt place: String, below ancestors: [String]) -> Bool
    /// Takes what a script assigned to `document.cookie`; the places are those of ``cookies(ofScriptAt:in:provenSite:)``.
    func setCookie(_ text: String, ofScriptAt place: String, in top: String, provenSite: String?)
}

/// What the bridge knows of a request of a page.
public struct BridgedRequest: Sendable {
    /// Where its body is.
    public enum Body: Sendable {
        /// Nobody said anything of it: where the engine has some plain bytes, it is those.
        case unknown
        /// The engine has it, if it is of the request that the script spoke of.
        case announced
        /// It has none.
        case none
        /// The engine has it, as plain bytes.
        case engine
        /// Here.
        case value(ResourceBody)
    }

    /// Where its body is.
    public var body = Body.unknown
    /// Whether it goes on when its page is gone.
    public var isKeptAlive = false
    /// Whether cookies go along, where the script said; `nil` for requests of elements and documents, too.
    public var credentials: BridgeHeader.Credentials?
    /// Whether the page's script asks without CORS, as a beacon does: of another origin's answer it reads nothing.
    public var asksWithoutCORS = false
    /// Whether an answer that leads elsewhere is followed there.
    public var followsRedirects = true
    /// How long the answer may take in all, where the script said.
    public var timeLimit: Duration?
    /// By which the script asks where the answer came from; see ``PageBridge/record(_:of:)``.
    public var id: BodyID?
    /// The site that the script's document has proven to be of; see ``PageBridge/prove(_:)``.
    public var provenSite: String?
}
