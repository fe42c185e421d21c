// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The authority of a URL: host and port, apart.
struct HostAuthority {
    /// In lower case; an IPv6 literal in its brackets.
    let host: String
    let port: Int?

    init?(_ text: String) {
        var host = text.utf8[...]
        var port: Int?
        // The last colon outside of an IPv6 literal's brackets starts the port (RFC 3986, section 3.2).
        if let colon = host.lastIndex(of: UInt8(ascii: ":")), !host[colon...].contains(UInt8(ascii: "]")) {
            let digits = host[host.index(after: colon)...]
            guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt16(Substring(digits)), number > 0
            else { return nil }
            port = Int(number)
            host = host[..<colon]
        }
        guard host.count <= 255, Self.isName(host) || Self.isAddress(host) else { return nil }
        self.host = Substring(host).lowercased()
        self.port = port
    }

    /// A registered name or an IPv4 address in the spelling of a request, where other letters are encoded.
    private static func isName(_ host: Substring.UTF8View) -> Bool {
        !host.isEmpty
            && host.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// An IPv6 literal in its brackets.
    private static func isAddress(_ host: Substring.UTF8View) -> Bool {
        host.count > 3 && host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
            && host.dropFirst().dropLast().allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
