// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading
internal import WebSyntax

/// Several parts of a body as `multipart/byteranges` (RFC 9110, section 14.6), generated while it is read.
struct MultipartRanges: AsyncSequence, Sendable {
    typealias Element = Data

    fileprivate enum Piece {
        case text(Data)
        case body(ResourceBody)
    }

    /// The number of bytes of a file that are read at once.
    private static let step: Int64 = 64 << 10
    private let pieces: [Piece]
    /// The total length in bytes.
    let length: Int64

    /// Creates a multipart body.
    /// - Parameters:
    ///   - type: The `Content-Type` of the complete representation.
    ///   - boundary: A string that occurs in no part.
    init?(of body: ResourceBody, parts: [Range<Int64>], type: String?, boundary: String) {
        guard let whole = body.length else { return nil }
        var pieces: [Piece] = []
        var length: Int64 = 0
        for (index, part) in parts.enumerated() {
            guard let slice = body.slice(part) else { return nil }
            var head = index == 0 ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n"
            if let type { head += "Content-Type: \(type)\r\n" }
            head += "Content-Range: \(ContentRange.part(part, total: whole))\r\n\r\n"
            pieces += [.text(Data(head.utf8)), .body(slice)]
            length += Int64(head.utf8.count) + Int64(part.count)
        }
        let end = "\r\n--\(boundary)--\r\n"
        pieces.append(.text(Data(end.utf8)))
        self.pieces = pieces
        self.length = length + Int64(end.utf8.count)
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(pieces: pieces[...])
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: ArraySlice<Piece>

        mutating func next() async throws -> Data? {
            guard let piece = pieces.popFirst() else { return nil }
            switch piece {
            case .text(let data), .body(.bytes(let data)): return data
            case .body(.file(let slice)):
                let count = Swift.min(Int64(slice.range.count), MultipartRanges.step)
                let middle = slice.range.lowerBound + count
                if middle < slice.range.upperBound {
                    let rest = FileSlice(slice.file, range: middle..<slice.range.upperBound)
                    pieces = [.body(.file(rest))] + pieces
                }
                return try FileSlice(slice.file, range: slice.range.lowerBound..<middle).read()
            case .body: return Data()
            }
        }
    }
}
