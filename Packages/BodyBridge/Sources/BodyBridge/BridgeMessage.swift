// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebSyntax

/// What the injected script asks the container, and waits for. JSON on the wire; see ``init(json:)``.
@_spi(Fuzzing) public struct BridgeMessage: Sendable, Hashable {
    /// What is asked.
    enum Topic: Sendable, Hashable {
        /// Whether requests for a URL are to come to the container.
        case covers(url: String)
        /// What `document.cookie` reads.
        case cookies
        /// A script assigned to `document.cookie`.
        case setCookie(text: String)
        /// The next POST or other request to a URL, which cannot carry a mark, has this one.
        /// - `contentType`: in place of the one that the engine says.
        /// - `text`: the `Content-Language` that the mark's id replaces, or the sender of a form, whose mark has no id.
        case announce(url: String, mark: BridgeHeader, contentType: String?, text: String?)
        /// Where the redirects of a request have led to.
        case moved(BodyID)
        /// A worker is about to ask for its script.
        case worker(url: String, isModule: Bool)
        /// A piece of a body, for where requests are forbidden.
        case store(BodyID, offset: Int64, bytes: Data)
        /// Whether the document may be shown in a frame below these origins, as the engine names them.
        case framed(ancestors: [String])
        /// A body will not come: it cannot be read.
        case drop(BodyID)
    }

    /// Where the script that asks runs, by its own word: the URL of its document or worker, under the container's name.
    public var place: String
    /// What is asked.
    var topic: Topic

    /// In bytes: a piece of a body as base64, and a little.
    static let limit = 2 << 20
    /// In bytes.
    private static let urlLimit = 64 << 10

    /// Reads `{"ask": …, "place": …, …}`, with the members of the topic beside, percent-encoded.
    ///
    /// `nil` for anything else, and for what is beyond its limit: 2 MB, and 64 KB for a URL.
    public init?(json: some StringProtocol) {
        guard json.utf8.count <= Self.limit,
            // As a component of a URL: engines change some signs of a dialog's text.
            let bytes = PercentEncoding.decode(json.utf8).map({ Data($0) }),
            let message = try? JSONDecoder().decode(Message.self, from: bytes),
            [message.place, message.url ?? ""].allSatisfy({ $0.utf8.count <= Self.urlLimit }),
            let topic = message.topic
        else { return nil }
        place = message.place
        self.topic = topic
    }

    private struct Message: Decodable {
        var ask: String
        var place: String
        var url: String?
        var words: String?
        var type: String?
        var text: String?
        var isModule: Bool?
        var id: String?
        var offset: Int64?
        var bytes: String?

        /// The texts of `{"0": …, "1": …}`.
        private static func ancestors(json: String) -> [String]? {
            (try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))).map { Array($0.values) }
        }

        var topic: Topic? {
            switch (ask, url, id.flatMap { BodyID($0) }) {
            case ("covers", let url?, _): return .covers(url: url)
            case ("cookies", _, _): return .cookies
            case ("setCookie", _, _): return text.map { .setCookie(text: $0) }
            case ("worker", let url?, _): return .worker(url: url, isModule: isModule ?? false)
            case ("drop", _, let id?): return .drop(id)
            case ("framed", _, _): return text.flatMap(Self.ancestors).map { .framed(ancestors: $0) }
            case ("moved", _, let id?): return .moved(id)
            case ("next", let url?, _):
                guard let mark = words.flatMap({ BridgeHeader($0) }) else { return nil }
                switch mark.purpose {
                case .bodyless, .plain, .relayed:
                    return .announce(url: url, mark: mark, contentType: type, text: text)
                case .store, .ask: return nil
                }
            case ("store", _, let id?):
                guard let offset, offset >= 0, let bytes = bytes.flatMap({ Data(base64Encoded: $0) }) else {
                    return nil
                }
                return .store(id, offset: offset, bytes: bytes)
            default: return nil
            }
        }
    }
}
