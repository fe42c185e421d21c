// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes

extension OriginRoute {
    /// The media type of DNS messages (RFC 8484, section 6).
    private static let messageType = "application/dns-message"

    /// Returns the routes of a server for DNS over HTTPS (RFC 8484), one for GET and one for POST.
    ///
    /// A request without a valid query gets status 400, and a POST of another media type 415. ``Fault`` delays, stalls
    /// and fails responses. The server should use TLS and offer HTTP/2.
    /// - Parameters:
    ///   - path: the path, such as `/dns-query`.
    ///   - zone: the names.
    public static func names(at path: OriginPathPattern, _ zone: NameZone) -> [OriginRoute] {
        [
            OriginRoute(.get, path) { request in
                let parameters = (request.query ?? "").split(separator: "&")
                guard let text = parameters.first(where: { $0.hasPrefix("dns=") })?.dropFirst("dns=".count),
                    let query = Data(base64URL: text)
                else { return .text("no query\n", status: .badRequest) }
                return answer(to: query, by: zone)
            },
            OriginRoute(.post, path) { request in
                guard request.headers[.contentType] == messageType else {
                    return .text("not a DNS message\n", status: .unsupportedMediaType)
                }
                return answer(to: request.body, by: zone)
            },
        ]
    }

    private static func answer(to query: Data, by zone: NameZone) -> OriginResponse {
        guard let query = DNSQuery(query) else { return .text("not a query\n", status: .badRequest) }
        let answer = zone.answer(to: query)
        // RFC 8484, section 5.1: the response is fresh for as long as the records.
        return OriginResponse(
            headers: [.contentType: messageType, .cacheControl: "max-age=\(answer.timeToLive)"],
            body: .bytes(Data(answer.bytes)))
    }
}

extension Data {
    /// Decodes base64url without padding (RFC 4648, section 5). Returns `nil` for other text.
    fileprivate init?(base64URL text: Substring) {
        guard !text.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
    }
}
