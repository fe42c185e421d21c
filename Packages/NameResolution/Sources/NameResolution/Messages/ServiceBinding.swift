// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The content of an HTTPS record (RFC 9460).
///
/// Only the parameters that address hints need are stored. The hints belong to ``target``, or to the owner of the
/// record if the target is the root (section 2.5.2).
struct ServiceBinding: Sendable, Hashable {
    /// The priority; 0 means that the record is an alias (section 2.4.1).
    let priority: UInt16
    /// The name of the service or of the alias.
    let target: DomainName
    /// The port, or `nil` for the port of the URL (section 7.2).
    private(set) var port: UInt16?
    /// The addresses of `ipv4hint` and `ipv6hint`, in the order of the record (section 7.3).
    private(set) var hints: [IPAddress] = []
    /// A Boolean value that indicates whether a client that speaks HTTP over TCP can use the record: it understands all
    /// mandatory parameters (section 8), and the service supports HTTP/1.1 or HTTP/2 (section 7.1).
    private(set) var isUsable = true

    /// A Boolean value that indicates whether the record is an alias.
    var isAlias: Bool { priority == 0 }

    /// The numbers of the parameters (section 14.3.2).
    private enum Key: UInt16 {
        case mandatory = 0
        case alpn = 1
        case noDefaultALPN = 2
        case port = 3
        case ipv4hint = 4
        case ech = 5
        case ipv6hint = 6
    }

    /// Reads the data of a record (section 2.2).
    /// - Parameter reader: a reader of exactly the data.
    /// - Throws: ``NameResolutionError`` with code `badMessage`. A client then rejects all HTTPS records of the answer.
    init(_ reader: inout MessageReader) throws(NameResolutionError) {
        priority = try reader.readUInt16()
        target = try reader.readName(allowsPointers: false)
        var mandatory: [UInt16] = []
        var present: Set<UInt16> = []
        var protocols: Set<[UInt8]> = []
        var hasDefaultProtocol = true
        var last: UInt16?
        while !reader.isAtEnd {
            let number = try reader.readUInt16()
            if let last, number <= last { throw reader.failure("parameters that are not in increasing order") }
            last = number
            present.insert(number)
            let length = Int(try reader.readUInt16())
            var value = try reader.readPart(length)
            switch Key(rawValue: number) {
            case .mandatory: mandatory = try Self.readMandatory(&value)
            case .alpn: protocols = try Self.readProtocols(&value)
            case .noDefaultALPN:
                try value.finish("no-default-alpn")
                hasDefaultProtocol = false
            case .port:
                port = try value.readUInt16()
                try value.finish("a port")
            case .ipv4hint: hints += try Self.readAddresses(of: 4, &value)
            case .ipv6hint: hints += try Self.readAddresses(of: 16, &value)
            case .ech, nil: break
            }
        }
        guard mandatory.allSatisfy(present.contains) else { throw reader.failure("a mandatory parameter is missing") }
        // Section 7.1.1: the default protocol is HTTP/1.1, and `no-default-alpn` needs `alpn`.
        guard hasDefaultProtocol || !protocols.isEmpty else { throw reader.failure("no-default-alpn without alpn") }
        let isOverTCP = !protocols.isDisjoint(with: [Array("http/1.1".utf8), Array("h2".utf8)])
        // A client that does not use Encrypted Client Hello must skip a record that requires it (section 8).
        let isUnderstood = mandatory.allSatisfy { Key(rawValue: $0).map { $0 != .ech } ?? false }
        isUsable = (hasDefaultProtocol || isOverTCP) && isUnderstood
        // Section 2.4.2: parameters of an alias are ignored.
        if isAlias {
            port = nil
            hints = []
            isUsable = true
        }
    }

    /// Reads the keys that a client must understand (section 8): at least one, in increasing order, and not itself.
    private static func readMandatory(_ value: inout MessageReader) throws(NameResolutionError) -> [UInt16] {
        var keys: [UInt16] = []
        repeat {
            let key = try value.readUInt16()
            guard key > keys.last ?? Key.mandatory.rawValue else { throw value.failure("wrong mandatory keys") }
            keys.append(key)
        } while !value.isAtEnd
        return keys
    }

    /// Reads the identifiers of protocols, which are not empty (section 7.1.1).
    private static func readProtocols(_ value: inout MessageReader) throws(NameResolutionError) -> Set<[UInt8]> {
        var protocols: Set<[UInt8]> = []
        repeat {
            let length = Int(try value.readOctet())
            guard length > 0 else { throw value.failure("an empty protocol identifier") }
            protocols.insert(Array(try value.readOctets(length)))
        } while !value.isAtEnd
        return protocols
    }

    /// Reads at least one address (section 7.3).
    private static func readAddresses(
        of octets: Int, _ value: inout MessageReader
    ) throws(NameResolutionError) -> [IPAddress] {
        var addresses: [IPAddress] = []
        repeat {
            guard let address = IPAddress(octets: try value.readOctets(octets)) else {
                throw value.failure("an address of another length")
            }
            addresses.append(address)
        } while !value.isAtEnd
        return addresses
    }
}
