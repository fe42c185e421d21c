// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import StrictJSON
internal import WebSyntax

// The values of metadata. All methods throw `JSONError`, or `TrustError` with code `badMetadata`.
extension JSONScanner {
    mutating func readText(_ what: StaticString) throws -> String {
        guard nextToken() == UInt8(ascii: "\"") else { throw TrustError(.badMetadata, "\(what) is no string") }
        let text = try readString()
        return string(text)
    }

    mutating func readKeyID() throws -> ByteText { ByteText(try readText("a key identifier")) }

    /// Reads an integer that is at least `minimum`.
    mutating func readNumber(_ what: StaticString, from minimum: Int64) throws -> Int64 {
        guard isAtNumber(), let text = try readInteger(), let value = integer(text), value >= minimum else {
            throw TrustError(.badMetadata, "\(what) is no integer of at least \(minimum)")
        }
        return value
    }

    mutating func readFlag(_ what: StaticString) throws -> Bool {
        guard let value = try readBool() else { throw TrustError(.badMetadata, "\(what) is no Boolean value") }
        return value
    }

    /// Reads the hexadecimal digits of a signature. Digits that are not valid make a signature that is not valid.
    mutating func readSignature() throws -> [UInt8] {
        HexText.bytes(of: try readText("a signature")) ?? []
    }

    /// Reads a time in the form `2030-12-31T23:59:59Z` (TUF 1.0.34, section 4.2.1).
    mutating func readTime(_ what: StaticString) throws -> Date {
        let text = try readText(what)
        let style = Date.ISO8601FormatStyle()
        guard text.utf8.count == 20, let date = try? style.parse(text), style.format(date) == text else {
            throw TrustError(.badMetadata, "\(what) is no time in UTC with seconds")
        }
        return date
    }

    /// Reads the keys of an object `{"<key identifier>": {…}}`.
    mutating func readKeys() throws -> [ByteText: PublicKey] {
        var keys: [ByteText: PublicKey] = [:]
        try readObject { scanner, name in
            let identifier = ByteText(scanner.string(name))
            // A key of an unknown kind cannot sign, but the other keys can.
            if let key = try PublicKey(&scanner) { keys[identifier] = key }
        }
        return keys
    }
}
