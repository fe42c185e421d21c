// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// An absolute URL of `http` or `https` in the spelling in which it is compared.
///
/// Scheme and host are in lower case, the scheme's own port and an empty path make no difference, letters that no URL
/// may hold are percent-encoded as engines send them, and there is no fragment. Escapes stay as they are.
struct PrefetchURL: Sendable, Hashable {
    let origin: WebOrigin
    /// From the first slash to the query.
    let path: String
    /// Without its question mark; `nil` where there is none.
    var query: String?

    /// `nil` where the text is no such URL, or names a user.
    init?(_ text: some StringProtocol) {
        guard let head = HTTPRequest(urlText: URLSpelling.strict(text)) else { return nil }
        self.init(head)
    }

    /// The URL of a request.
    init?(_ head: HTTPRequest) {
        guard let scheme = head.scheme, ["http", "https"].contains(scheme), let authority = head.authority,
            Self.isHost(authority), let origin = head.webOrigin
        else { return nil }
        let target = head.path ?? "/"
        let bytes = target.utf8
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        self.origin = origin
        path = String(target[..<(mark ?? target.endIndex)])
        query = mark.map { String(target[bytes.index(after: $0)...]) }
    }

    /// The whole URL.
    var text: String { page + (query.map { "?\($0)" } ?? "") }

    /// What pages are matched by: the URL without its query.
    var page: String { "\(origin)\(path)" }

    /// A name or an address, and a port that there can be.
    private static func isHost(_ authority: String) -> Bool {
        var host = Substring(authority)
        if let colon = host.utf8.lastIndex(of: UInt8(ascii: ":")),
            !host.utf8[colon...].contains(UInt8(ascii: "]"))
        {
            let port = host[host.utf8.index(after: colon)...]
            let isPort = port.utf8.count <= 5 && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isPort, let number = Int(port), number <= 65_535 else { return false }
            host = host[..<colon]
        }
        let isAddress = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2
        if isAddress { host = host.dropFirst().dropLast() }
        return !host.isEmpty
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: ":"): isAddress
                case UInt8(ascii: "a")...UInt8(ascii: "f"), 0x30...0x39, UInt8(ascii: "."): true
                case UInt8(ascii: "g")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"): !isAddress
                default: false
                }
            }
    }
}
