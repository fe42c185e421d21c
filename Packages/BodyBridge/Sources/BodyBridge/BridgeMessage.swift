// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebSyntax

/// A message of the injected script to the container, in JSON; see ``init(json:)``. The container replies to each
/// message.
@_spi(Fuzzing) public struct BridgeMessage: Sendable, Hashable {
    /// The topic of a message.
    enum Topic: Sendable, Hashable {
        /// Requests a Boolean value that indicates whether the container intercepts requests for a URL.
        case covers(url: String)
        /// Requests the value of `document.cookie`.
        case cookies
        /// Reports an assignment to `document.cookie`.
        case setCookie(text: String)
        /// Announces the next request to a URL. The request cannot carry its bridge header, which is `mark`.
        /// - `contentType`: the content type in place of the engine's.
        /// - `text`: the sender of a form, whose `mark` has no id. For other requests, the original `Content-Language`,
        ///   in place of which the request carries the id.
        case announce(url: String, mark: BridgeHeader, contentType: String?, text: String?)
        /// Requests the final URL of a request after its redirects.
        case moved(BodyID)
        /// Announces that a worker is about to request its script.
        case worker(url: String, isModule: Bool)
        /// Carries a piece of a body, if the request that would carry the piece fails.
        case store(BodyID, offset: Int64, bytes: Data)
        /// Requests a Boolean value that indicates whether the document may be shown in a frame below documents of
        /// these origins, as the engine names them.
        case framed(ancestors: [String])
        /// Reports that a body cannot be read and will not arrive.
        case drop(BodyID)
    }

    /// The URL of the document or worker of the script, with the container's scheme, as claimed by the script.
    public var place: String
    /// The topic of the message.
    var topic: Topic

    /// The maximum length of a message in bytes: a base64 piece of a body and the other members.
    static let limit = 2 << 20
    /// The maximum length of a URL, in bytes.
    private static let urlLimit = 64 << 10

    /// Creates a message from `{"ask": …, "place": …, …}` with the members of its topic, percent-encoded.
    /// - Returns: `nil` for any other text, and beyond the limits of 2 MiB, and 64 KiB for a URL.
    public init?(json: some StringProtocol) {
        guard json.utf8.count <= Self.limit,
            // Messages are percent-encoded, because engines change some characters in the text of a dialog.
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

        /// Returns the values of `{"0": …, "1": …}`.
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
