// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1
internal import SystemSupport
internal import WebSyntax

/// The token that the engine must send to the local server with each request, as a cookie.
///
/// Scripts cannot read the cookie, and requests of pages of other sites do not contain it. The token is new for each
/// launch and exists only in memory.
public struct AccessToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The name of the cookie. With the prefix `__Host-`, an engine should accept the cookie only from the host itself
    /// over TLS (RFC 6265bis, section 4.1.3.2). Some engines do not check this.
    public static let name = "__Host-container"
    /// The value of the cookie: 256 bits from the system's random number generator.
    public let value = RandomToken.hex(byteCount: 32)

    init() {}

    /// Returns a Boolean value that indicates whether a request contains the token, in its only cookie of this name.
    func isContained(in headers: HTTPHeaders) -> Bool {
        let values = headers["cookie"].flatMap { Self.pairs(of: $0) }.filter { $0.name == Self.name }.map(\.value)
        return values.count == 1 && RandomToken.isEqual(values[0].utf8, value.utf8)
    }

    /// Removes the token from a request that is forwarded to the site's real host.
    func remove(from headers: inout HTTPHeaders) {
        let others = headers["cookie"].map { field in
            Self.pairs(of: field).filter { $0.name != Self.name }.map(\.text).joined(separator: "; ")
        }
        headers.remove(name: "cookie")
        for cookies in others where !cookies.isEmpty { headers.add(name: "Cookie", value: cookies) }
    }

    /// Returns the name-value pairs of a `Cookie` field (RFC 6265, section 4.2.1).
    private static func pairs(of field: String) -> [(name: Substring, value: Substring, text: Substring)] {
        field.split(separator: ";").map { pair in
            let text = pair.trimmingFieldWhitespace
            let equals = text.firstIndex(of: "=") ?? text.startIndex
            return (text[..<equals], equals == text.startIndex ? text : text[text.index(after: equals)...], text)
        }
    }

    /// A description without the value.
    public var description: String { "\(Self.name)=…" }
    /// A description without the value.
    public var debugDescription: String { description }
    /// A mirror without the value.
    public var customMirror: Mirror { Mirror(self, children: ["name": Self.name]) }
}
