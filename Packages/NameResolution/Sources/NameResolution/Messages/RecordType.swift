// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The types of resource records that are read or written. All others are skipped.
enum RecordType: UInt16, Sendable {
    /// An IPv4 address (RFC 1035, section 3.4.1).
    case a = 1
    /// The canonical name of an alias (RFC 1035, section 3.3.1).
    case cname = 5
    /// The start of a zone (RFC 1035, section 3.3.13).
    case soa = 6
    /// An IPv6 address (RFC 3596, section 2.1).
    case aaaa = 28
    /// The options of EDNS (RFC 6891, section 6.1.1).
    case opt = 41
    /// The service binding of an HTTPS origin (RFC 9460, section 9).
    case https = 65
}

/// The question of a query and of its answer (RFC 1035, section 4.1.2), in class IN.
struct DNSQuestion: Sendable, Hashable {
    /// The name.
    let name: DomainName
    /// The type of the records.
    let type: RecordType

    /// The class IN (RFC 1035, section 3.2.4).
    static let internetClass: UInt16 = 1
}

/// The response code of an answer (RFC 1035, section 4.1.1), with the bits of EDNS (RFC 6891, section 6.1.3).
struct ResponseCode: Sendable, Hashable {
    /// The number, from 0 to 4095.
    let rawValue: UInt16

    /// No error.
    static let noError = ResponseCode(rawValue: 0)
    /// A name that does not exist.
    static let nameError = ResponseCode(rawValue: 3)
}
