// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What the engine says to its proxy, so that nobody else is served (RFC 7617). Made anew for each launch, in memory
/// only.
public struct ProxyCredentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The same for all launches.
    public let username: String
    /// 256 bits of the system's randomness.
    public let password: String
    private let field: [UInt8]

    /// Makes new ones.
    public init() {
        var random = SystemRandomNumberGenerator()
        username = "container"
        password = (0..<4).map { _ in
            let word = random.next() as UInt64
            return String(repeating: "0", count: word.leadingZeroBitCount / 4)
                + (word == 0 ? "" : String(word, radix: 16))
        }.joined()
        field = Array(Data("\(username):\(password)".utf8).base64EncodedString().utf8)
    }

    /// Whether the value of a `Proxy-Authorization` field is these. Takes as long wherever the first difference is.
    func match(_ value: String) -> Bool {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic" else { return false }
        let given = Array(parts[1].utf8)
        guard given.count == field.count else { return false }
        return zip(given, field).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Without the password.
    public var description: String { "credentials of \(username)" }
    /// Without the password.
    public var debugDescription: String { description }
}
