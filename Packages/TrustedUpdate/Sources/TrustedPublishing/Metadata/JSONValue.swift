// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
internal import StrictJSON
package import WebSyntax

/// A JSON value of metadata, whose numbers are 64-bit integers.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case string(String)
    case array([JSONValue])
    case object([ByteText: JSONValue])

    /// The maximum nesting depth, which is that of the client.
    private static let maxDepth = 32

    /// Reads a JSON text.
    /// - Throws: ``PublishingError`` with code `badMetadata`, also for a number that is no 64-bit integer and for a
    ///   name that comes twice in one object.
    package init(decoding bytes: Data, at location: String) throws(PublishingError) {
        do {
            self = try bytes.withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes, limits: JSONScanner.Limits(depth: Self.maxDepth))
                let value = try JSONValue(&scanner)
                try scanner.finish()
                return value
            }
        } catch let error as PublishingError {
            throw PublishingError(error.code, error.message, at: location)
        } catch {
            throw PublishingError(.badMetadata, "\(error)", at: location)
        }
    }

    private init(_ scanner: inout JSONScanner) throws {
        switch scanner.nextToken() {
        case UInt8(ascii: "{"):
            var members: [ByteText: JSONValue] = [:]
            try scanner.readObject(checksNames: false) { scanner, name in
                let name = ByteText(scanner.string(name))
                guard members.updateValue(try JSONValue(&scanner), forKey: name) == nil else {
                    throw PublishingError(.badMetadata, "a name that comes twice in one object")
                }
            }
            self = .object(members)
        case UInt8(ascii: "["):
            var elements: [JSONValue] = []
            try scanner.readArray { scanner in elements.append(try JSONValue(&scanner)) }
            self = .array(elements)
        case UInt8(ascii: "\""):
            let text = try scanner.readString()
            self = .string(scanner.string(text))
        case UInt8(ascii: "t"), UInt8(ascii: "f"):
            self = .bool(try scanner.readBool() == true)
        case UInt8(ascii: "n"):
            _ = try scanner.readNull()
            self = .null
        default:
            guard let text = try scanner.readInteger(), let value = scanner.integer(text) else {
                throw PublishingError(.badMetadata, "a number that is no 64-bit integer")
            }
            self = .integer(value)
        }
    }

    // MARK: Members

    /// The member of an object, or `nil` if there is none. To assign a value to a member of another value replaces
    /// that value by an object.
    package subscript(_ name: String) -> JSONValue? {
        get { members[ByteText(name)] }
        set {
            var members = members
            members[ByteText(name)] = newValue
            self = .object(members)
        }
    }

    /// The members of an object; none if the value is no object.
    package var members: [ByteText: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    /// The elements of an array; none if the value is no array.
    package var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// The text of a string.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The Boolean value.
    var flag: Bool? {
        guard case .bool(let flag) = self else { return nil }
        return flag
    }

    /// The number.
    package var number: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// Creates an object whose names are known.
    static func members(_ members: [String: JSONValue]) -> JSONValue {
        .object(Dictionary(uniqueKeysWithValues: members.map { (ByteText($0), $1) }))
    }

    // MARK: Text

    /// The canonical form, which is signed: names sorted by their bytes, no white space, and in strings only `"` and
    /// `\` escaped (TUF 1.0.34, section 4.2).
    package var canonical: Data {
        var bytes: [UInt8] = []
        append(to: &bytes, indent: nil)
        return Data(bytes)
    }

    /// The text of a document: sorted names, one line for each value, and control characters escaped.
    package var document: Data {
        var bytes: [UInt8] = []
        append(to: &bytes, indent: 0)
        bytes.append(UInt8(ascii: "\n"))
        return Data(bytes)
    }

    /// - Parameter indent: the depth of the value in a document, or `nil` for the canonical form.
    private func append(to bytes: inout [UInt8], indent: Int?) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .integer(let number): bytes += String(number).utf8
        case .string(let text): Self.append(text, to: &bytes, isCanonical: indent == nil)
        case .array(let elements):
            Self.append("[", elements, "]", to: &bytes, indent: indent) { element, bytes, indent in
                element.append(to: &bytes, indent: indent)
            }
        case .object(let members):
            let sorted = members.sorted { $0.key < $1.key }
            Self.append("{", sorted, "}", to: &bytes, indent: indent) { member, bytes, indent in
                Self.append(member.key.text, to: &bytes, isCanonical: indent == nil)
                bytes += (indent == nil ? ":" : ": ").utf8
                member.value.append(to: &bytes, indent: indent)
            }
        }
    }

    private static func append<Element>(
        _ start: String, _ elements: [Element], _ end: String, to bytes: inout [UInt8], indent: Int?,
        _ appendElement: (Element, inout [UInt8], Int?) -> Void
    ) {
        bytes += start.utf8
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let indent { bytes += "\n\(String(repeating: " ", count: indent + 1))".utf8 }
            appendElement(element, &bytes, indent.map { $0 + 1 })
        }
        if let indent, !elements.isEmpty { bytes += "\n\(String(repeating: " ", count: indent))".utf8 }
        bytes += end.utf8
    }

    private static func append(_ text: String, to bytes: inout [UInt8], isCanonical: Bool) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes += [UInt8(ascii: "\\"), byte]
            } else if byte < 0x20, !isCanonical {
                bytes += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
            } else {
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
