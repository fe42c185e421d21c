// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Where a connection leads.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address; an IPv6 address stands without brackets.
    public let host: String
    /// 1 to 65535.
    public let port: Int

    /// Names a place; whether anyone listens there shows with a connection.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// A port of this machine, by its IPv4 loopback address.
    public static func loopback(_ port: Int) -> Endpoint {
        Endpoint(host: "127.0.0.1", port: port)
    }

    /// `host:port`, an IPv6 address in brackets.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension Endpoint {
    /// Reads `host:port`, `[v6]:port`, or without a port where `defaultPort` is given.
    ///
    /// The grammar is the authority of RFC 3986, section 3.2, without user information.
    init?(authority: some StringProtocol, defaultPort: Int? = nil) {
        let host: Substring
        var rest: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = Substring(authority[authority.index(after: authority.startIndex)..<end])
            rest = Substring(authority[authority.index(after: end)...])
            guard host.contains(":") else { return nil }
        } else {
            let end = authority.firstIndex(of: ":") ?? authority.endIndex
            host = Substring(authority[..<end])
            rest = Substring(authority[end...])
        }
        let isPlain = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard !host.isEmpty, host.utf8.count <= 255, isPlain else { return nil }
        if rest.isEmpty || rest == ":" {
            guard let defaultPort else { return nil }
            self.init(host: String(host), port: defaultPort)
            return
        }
        guard rest.removeFirst() == ":", rest.utf8.count <= 5,
            rest.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let port = Int(rest), 1...65_535 ~= port
        else { return nil }
        self.init(host: String(host), port: port)
    }
}
