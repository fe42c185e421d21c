// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1
internal import SystemSupport
internal import WebSyntax

/// What the engine says to the local server with each request, as a cookie that no script sees and no other site's page
/// sends, so that nobody else is served. Made anew for each launch, in memory only.
public struct AccessToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The cookie's name. By its prefix an engine is to take it from nobody but the host itself, over TLS (RFC
    /// 6265bis, section 4.1.3.2); not all do.
    public let name = "__Host-container"
    /// 256 bits of the system's randomness.
    public let value = RandomToken.hex(byteCount: 32)

    init() {}

    /// Whether a request says it, and says it once: a reader after us might take the other one.
    func isSaid(by headers: HTTPHeaders) -> Bool {
        let values = headers["cookie"].flatMap { Self.pairs(of: $0) }.filter { $0.name == name }.map(\.value)
        return values.count == 1 && RandomToken.isEqual(values[0].utf8, value.utf8)
    }

    /// Takes it out of a request, which goes on to the site's real host.
    func remove(from headers: inout HTTPHeaders) {
        let others = headers["cookie"].map { field in
            Self.pairs(of: field).filter { $0.name != name }.map(\.text).joined(separator: "; ")
        }
        headers.remove(name: "cookie")
        for cookies in others where !cookies.isEmpty { headers.add(name: "Cookie", value: cookies) }
    }

    /// RFC 6265, section 4.2.1.
    private static func pairs(of field: String) -> [(name: Substring, value: Substring, text: Substring)] {
        field.split(separator: ";").map { pair in
            let text = pair.trimmingFieldWhitespace
            let equals = text.firstIndex(of: "=") ?? text.startIndex
            return (text[..<equals], equals == text.startIndex ? text : text[text.index(after: equals)...], text)
        }
    }

    /// Without the value.
    public var description: String { "\(name)=…" }
    /// Without the value.
    public var debugDescription: String { description }
    /// Without the value.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
