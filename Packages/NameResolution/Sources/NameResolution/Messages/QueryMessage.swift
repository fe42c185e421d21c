// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The encoder of queries with EDNS and padding.
enum QueryMessage {
    /// The length that a query is padded to a multiple of (RFC 8467, section 4.1).
    static let blockLength = 128
    /// The size of a UDP message that EDNS announces. It has no meaning over HTTP.
    private static let udpSize: UInt16 = 1_232
    /// The code of the padding option (RFC 7830, section 3).
    private static let paddingOption: UInt16 = 12
    /// The flag RD: the server is to resolve the name completely (RFC 1035, section 4.1.1).
    private static let recursionDesired: UInt16 = 0x0100

    /// Returns the message of a query.
    ///
    /// The identifier is 0, so that equal queries have equal bytes and HTTP caches can store the answers (RFC 8484,
    /// section 4.1). The padding is zeros (RFC 7830, section 3).
    static func encode(_ question: DNSQuestion) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * blockLength)
        // The identifier, the flags, and the numbers of questions, answers, authority and additional records.
        for field: UInt16 in [0, recursionDesired, 1, 0, 0, 1] { append(field, to: &bytes) }
        bytes += question.name.octets
        append(question.type.rawValue, to: &bytes)
        append(DNSQuestion.internetClass, to: &bytes)
        // The OPT record belongs to the root. Its extended response code, version and flags are zero.
        bytes += DomainName.root.octets
        for field: UInt16 in [RecordType.opt.rawValue, udpSize, 0, 0] { append(field, to: &bytes) }
        // The length of the record, and code and length of the option, come before the padding.
        let unpadded = bytes.count + 6
        let padding = (blockLength - unpadded % blockLength) % blockLength
        for field in [UInt16(padding + 4), paddingOption, UInt16(padding)] { append(field, to: &bytes) }
        bytes.append(contentsOf: repeatElement(0, count: padding))
        return bytes
    }

    private static func append(_ field: UInt16, to bytes: inout [UInt8]) {
        bytes.append(UInt8(field >> 8))
        bytes.append(UInt8(field & 0xFF))
    }
}
