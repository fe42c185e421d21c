// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Finds the lines of values in a JSON text, for error reports.
package enum JSONLocator {
    /// Returns the line of the value at a place, or of its nearest enclosing value that exists.
    ///
    /// A name with dots, such as a URL, needs no escaping: the names of the text decide where a name ends.
    /// - Parameters:
    ///   - place: a place such as `rules[3].host`; empty for the whole text.
    ///   - bytes: the text, which may be malformed after the place.
    /// - Returns: the line, from 1.
    package static func line(of place: String, in bytes: UnsafeRawBufferPointer) -> Int {
        var found = Found(rest: .max, position: 0)
        var scanner = JSONScanner(bytes, limits: JSONScanner.Limits(depth: 128))
        // A malformed text ends the search.
        try? find(Array(place.utf8)[...], &scanner, &found)
        return line(atByte: found.position, in: bytes)
    }

    /// Returns the line of a byte position, from 1. A line ends with a line feed.
    package static func line(atByte position: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        bytes.prefix(max(0, position)).count { $0 == UInt8(ascii: "\n") } + 1
    }

    /// The value that is nearest to the place.
    private struct Found {
        /// The number of bytes of the place that do not lead to the value.
        var rest: Int
        var position: Int
    }

    private static func find(_ place: ArraySlice<UInt8>, _ scanner: inout JSONScanner, _ found: inout Found) throws {
        let token = scanner.nextToken()
        if place.count < found.rest { found = Found(rest: place.count, position: scanner.position) }
        guard !place.isEmpty, found.rest > 0 else {
            try scanner.skipValue(checksText: false)
            return
        }
        if token == UInt8(ascii: "{") {
            try scanner.readObject(checksNames: false) { scanner, name in
                if let rest = scanner.withBytes(of: name, { rest(of: place, after: $0) }) {
                    try find(rest, &scanner, &found)
                } else {
                    try scanner.skipValue(checksText: false)
                }
            }
        } else if token == UInt8(ascii: "["), let (index, rest) = index(at: place) {
            var number = 0
            try scanner.readArray { scanner in
                if number == index {
                    try find(rest, &scanner, &found)
                } else {
                    try scanner.skipValue(checksText: false)
                }
                number += 1
            }
        } else {
            try scanner.skipValue(checksText: false)
        }
    }

    /// Returns the rest of a place after a name, or `nil` if the place does not begin with the whole name.
    private static func rest(
        of place: ArraySlice<UInt8>, after name: UnsafeRawBufferPointer
    ) -> ArraySlice<UInt8>? {
        guard place.starts(with: name) else { return nil }
        let rest = place.dropFirst(name.count)
        switch rest.first {
        case nil, UInt8(ascii: "["): return rest
        case UInt8(ascii: "."): return rest.dropFirst()
        default: return nil
        }
    }

    /// Returns the index at the start of a place such as `[3].host`, and the rest.
    private static func index(at place: ArraySlice<UInt8>) -> (index: Int, rest: ArraySlice<UInt8>)? {
        guard place.first == UInt8(ascii: "["), let end = place.firstIndex(of: UInt8(ascii: "]")),
            let index = Int(String(decoding: place[place.startIndex + 1..<end], as: UTF8.self))
        else { return nil }
        let rest = place[(end + 1)...]
        return (index, rest.first == UInt8(ascii: ".") ? rest.dropFirst() : rest)
    }
}
