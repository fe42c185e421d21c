// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import StrictJSON
internal import WebSyntax

/// The keys that can sign a role, and the number of them that must.
struct RoleKeys: Sendable {
    let identifiers: Set<ByteText>
    let threshold: Int64

    /// Reads the members `keyids` and `threshold` of an object, whose other members the closure reads.
    /// - Throws: `JSONError` or ``TrustError`` with code `badMetadata`.
    init(_ scanner: inout JSONScanner, other: (inout JSONScanner, JSONText) throws -> Void) throws {
        var identifiers: Set<ByteText>?
        var threshold: Int64?
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "keyids") {
                var list: Set<ByteText> = []
                try scanner.readArray { scanner in
                    guard list.insert(try scanner.readKeyID()).inserted else {
                        throw TrustError(.badMetadata, "a key that is listed twice for a role")
                    }
                }
                identifiers = list
            } else if scanner.equals(name, "threshold") {
                threshold = try scanner.readNumber("a threshold", from: 1)
            } else {
                try other(&scanner, name)
            }
        }
        guard let identifiers, let threshold else { throw TrustError(.badMetadata, "a role without keys") }
        self.identifiers = identifiers
        self.threshold = threshold
    }
}
