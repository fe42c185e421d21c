// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading
internal import WebSyntax

/// Several parts of a body as `multipart/byteranges` (RFC 9110, section 14.6), generated while the sequence is read.
struct MultipartRanges: AsyncSequence, Sendable {
    typealias Element = Data

    /// The bodies to concatenate: the head and the bytes of each part, and the closing boundary.
    private let bodies: [ResourceBody]
    /// The total length in bytes.
    let length: Int64

    /// Creates a multipart body; returns `nil` if the body has no known length or cannot be sliced.
    /// - Parameters:
    ///   - type: The `Content-Type` of the complete representation.
    ///   - boundary: A string that occurs in no part.
    init?(of body: ResourceBody, parts: [Range<Int64>], type: String?, boundary: String) {
        guard let whole = body.length else { return nil }
        var bodies: [ResourceBody] = []
        var length: Int64 = 0
        for (index, part) in parts.enumerated() {
            guard let slice = body.slice(part) else { return nil }
            var head = index == 0 ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n"
            if let type { head += "Content-Type: \(type)\r\n" }
            head += "Content-Range: \(ContentRange.part(part, total: whole))\r\n\r\n"
            bodies += [.bytes(Data(head.utf8)), slice]
            length += Int64(head.utf8.count) + Int64(part.count)
        }
        let end = "\r\n--\(boundary)--\r\n"
        bodies.append(.bytes(Data(end.utf8)))
        self.bodies = bodies
        self.length = length + Int64(end.utf8.count)
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(bodies: bodies[...])
    }

    struct Iterator: AsyncIteratorProtocol {
        private var bodies: ArraySlice<ResourceBody>
        private var pieces = ResourceBody.empty.pieces()

        fileprivate init(bodies: ArraySlice<ResourceBody>) {
            self.bodies = bodies
        }

        mutating func next() async throws -> Data? {
            while true {
                if let piece = try await pieces.next() { return piece }
                guard let body = bodies.popFirst() else { return nil }
                pieces = body.pieces()
            }
        }
    }
}
