// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import StrictJSON
internal import SystemSupport

/// The first fault of a document in the order of its text.
///
/// A parser reports the first fault in the order in which it reads the members. Therefore the document is parsed again
/// with its first members and elements only, until the first part that has a fault is found. Of several faults in one
/// element of an array, the fault that the parser finds first is reported.
struct FirstFault {
    /// The limits of any document; the parsers have stricter ones.
    static let limits = JSONScanner.Limits(depth: 128)

    /// The error of the library.
    let error: any CodedError
    /// The line, from 1.
    let line: Int

    /// Returns the first fault of a document, or `nil` if the parser accepts it.
    /// - Throws: the error of the parser, if it is not a `CodedError`.
    static func find(in json: Data, _ kind: CheckedKind) throws -> FirstFault? {
        guard let whole = try fault(of: json, kind) else { return nil }
        var found = Found(error: whole, position: nil)
        try narrow(Part(bytes: json, before: Data(), after: Data(), offset: 0), at: "", kind, &found)
        let line = json.withUnsafeBytes { bytes in
            let byte = found.error.location.flatMap { $0.hasPrefix("byte ") ? Int($0.dropFirst(5)) : nil }
            if let byte { return JSONLocator.line(atByte: byte, in: bytes) }
            let outer = found.position.map { JSONLocator.line(atByte: $0, in: bytes) } ?? 1
            guard let place = found.error.location else { return max(outer, JSONLocator.line(of: "", in: bytes)) }
            // The URL of an entry of a resource table is a name in this object.
            let prefixes = place.contains("://") ? ["", "data.resourcemap."] : [""]
            return prefixes.map { JSONLocator.line(of: $0 + place, in: bytes) }.reduce(outer, max)
        }
        return FirstFault(error: found.error, line: line)
    }

    private struct Found {
        var error: any CodedError
        /// The position of the narrowest value that is known to have the fault.
        var position: Int?
    }

    /// A value, and the texts before and after it that make it a document.
    private struct Part {
        var bytes: Data
        var before: Data
        var after: Data
        /// The position of the value in the document.
        var offset: Int
    }

    private static func fault(of json: Data, _ kind: CheckedKind) throws -> (any CodedError)? {
        do {
            _ = try kind.read(json)
            return nil
        } catch let error as any CodedError {
            return error
        }
    }

    private static func narrow(_ part: Part, at place: String, _ kind: CheckedKind, _ found: inout Found) throws {
        let items = try self.items(of: part.bytes)
        let isObject = items.first?.name != nil
        let needed = kind.needed[place] ?? []
        guard !items.isEmpty, !isObject || !needed.isEmpty else { return }
        let (open, close) = isObject ? ("{", "}") : ("[", "]")

        /// Returns the document with the first items only, and its value's position.
        func text(_ count: Int) -> (before: Data, after: Data) {
            let kept = items.prefix(count)
            let missing = needed.filter { member in !items.prefix(count + 1).contains { $0.name == member.name } }
            let others = isObject ? missing.map { Data("\"\($0.name)\":\($0.value),".utf8) } : []
            let before = kept.map { part.bytes[$0.range] + Data(",".utf8) }
            return (part.before + Data(open.utf8) + others.joined() + before.joined(), Data(close.utf8) + part.after)
        }
        func fault(upTo count: Int) throws -> (any CodedError)? {
            let (before, after) = text(count - 1)
            return try Self.fault(of: before + part.bytes[items[count - 1].range] + after, kind)
        }

        // A fault in the first items is a fault of all longer prefixes, too.
        var (good, bad) = (0, items.count)
        guard var error = try fault(upTo: bad) else { return }
        while bad - good > 1 {
            let middle = (good + bad) / 2
            if let earlier = try fault(upTo: middle) {
                (bad, error) = (middle, earlier)
            } else {
                good = middle
            }
        }
        let item = items[bad - 1]
        found = Found(error: error, position: part.offset + item.value.lowerBound)
        guard isObject, let name = item.name else { return }
        let (before, after) = text(bad - 1)
        let value = item.value
        let inner = Part(
            bytes: Data(part.bytes[value]), before: before + part.bytes[item.range.lowerBound..<value.lowerBound],
            after: after, offset: part.offset + value.lowerBound)
        try narrow(inner, at: place.isEmpty ? name : "\(place).\(name)", kind, &found)
    }

    /// A member of an object or an element of an array.
    private struct Item {
        /// The name of a member; `nil` for an element.
        var name: String?
        /// The range of the name and the value.
        var range: Range<Int>
        var value: Range<Int>
    }

    /// Returns the items of an object or an array; an empty array for other values.
    private static func items(of json: Data) throws -> [Item] {
        var items: [Item] = []
        try json.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, limits: limits)
            switch scanner.nextToken() {
            case UInt8(ascii: "{"):
                // The position of a name is that of the first token after a comma.
                var start = scanner.position + 1
                try scanner.readObject { scanner, text in
                    let name = scanner.string(text)
                    let value = try scanner.skipValue()
                    items.append(Item(name: name, range: start..<value.upperBound, value: value))
                    _ = scanner.nextToken()
                    start = scanner.position + 1
                }
            case UInt8(ascii: "["):
                try scanner.readArray { scanner in
                    let value = try scanner.skipValue()
                    items.append(Item(name: nil, range: value, value: value))
                }
            default: break
            }
        }
        return items
    }
}
