// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A reader of the fields of a DNS message. It never reads beyond the end of the message.
struct MessageReader {
    /// The maximum number of compression pointers of one name. A name has at most 127 labels.
    static let maxPointers = 64
    /// The number of octets of the header (RFC 1035, section 4.1.1).
    static let headerOctets = 12

    private let bytes: [UInt8]
    /// The position of the next octet.
    private(set) var position: Int
    /// The position after the last octet that may be read without a compression pointer.
    let end: Int

    /// Creates a reader of a whole message.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = 0
        end = bytes.count
    }

    private init(_ bytes: [UInt8], position: Int, end: Int) {
        self.bytes = bytes
        self.position = position
        self.end = end
    }

    /// A Boolean value that indicates whether all octets are read.
    var isAtEnd: Bool { position == end }

    /// Returns an error of a malformed message.
    func failure(_ message: String) -> NameResolutionError {
        NameResolutionError(.badMessage, "\(message) (octet \(position))")
    }

    /// Checks that all octets are read.
    func finish(_ what: StaticString) throws(NameResolutionError) {
        guard isAtEnd else { throw failure("\(what) is longer than its content") }
    }

    /// Reads one octet.
    mutating func readOctet() throws(NameResolutionError) -> UInt8 {
        guard position < end else { throw failure("a field beyond the end") }
        position += 1
        return bytes[position - 1]
    }

    /// Reads 16 bits in network order.
    mutating func readUInt16() throws(NameResolutionError) -> UInt16 {
        let high = try readOctet()
        let low = try readOctet()
        return UInt16(high) << 8 | UInt16(low)
    }

    /// Reads 32 bits in network order.
    mutating func readUInt32() throws(NameResolutionError) -> UInt32 {
        let high = try readUInt16()
        let low = try readUInt16()
        return UInt32(high) << 16 | UInt32(low)
    }

    /// Reads a number of octets.
    mutating func readOctets(_ count: Int) throws(NameResolutionError) -> ArraySlice<UInt8> {
        guard count <= end - position else { throw failure("a field beyond the end") }
        position += count
        return bytes[(position - count)..<position]
    }

    /// Returns a reader of the next octets, and continues after them. Compression pointers of its names may point to
    /// earlier octets of the whole message.
    mutating func readPart(_ count: Int) throws(NameResolutionError) -> MessageReader {
        guard count <= end - position else { throw failure("data beyond the end") }
        position += count
        return MessageReader(bytes, position: position - count, end: position)
    }

    /// Reads a name (RFC 1035, section 4.1.4).
    ///
    /// A compression pointer must point before the labels that it follows, so that each pointer leads closer to the
    /// start of the message, and not into the header.
    /// - Parameter allowsPointers: `false` for names that are never compressed, such as those of RFC 9460, section 2.2.
    mutating func readName(allowsPointers: Bool = true) throws(NameResolutionError) -> DomainName {
        var octets: [UInt8] = []
        var pointers = 0
        var start = position
        var limit = end
        var next = position
        while true {
            guard next < limit else { throw failure("a name beyond the end") }
            let length = bytes[next]
            switch length >> 6 {
            case 0:
                guard length > 0 else {
                    octets.append(0)
                    if pointers == 0 { position = next + 1 }
                    return DomainName(octets: octets)
                }
                let labelEnd = next + 1 + Int(length)
                guard labelEnd <= limit else { throw failure("a label beyond the end") }
                // One more octet is the length of the root.
                guard octets.count + 2 + Int(length) <= DomainName.maxOctets else { throw failure("a too long name") }
                octets += bytes[next..<labelEnd]
                next = labelEnd
            case 3:
                guard allowsPointers else { throw failure("a compressed name") }
                guard next + 1 < limit else { throw failure("a name beyond the end") }
                let target = Int(length & 0x3F) << 8 | Int(bytes[next + 1])
                guard target >= Self.headerOctets, target < start else {
                    throw failure("a pointer that is not backwards")
                }
                if pointers == 0 { position = next + 2 }
                pointers += 1
                guard pointers <= Self.maxPointers else { throw failure("too many pointers in a name") }
                // The name may not run into the labels that it was read from.
                limit = start
                start = target
                next = target
            default: throw failure("a label of an unknown type")
            }
        }
    }
}
