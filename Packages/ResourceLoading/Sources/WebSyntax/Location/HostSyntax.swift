// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The syntax of hosts (RFC 3986, section 3.2.2; URL Standard, section 3.5).
public enum HostSyntax {
    /// Returns a Boolean value that indicates whether the bytes are a registered name of unreserved characters, an IPv4
    /// address, or an IPv6 address in brackets.
    @inlinable
    public static func isHost<Bytes>(_ host: Bytes) -> Bool
    where Bytes: BidirectionalCollection, Bytes.Element == UInt8, Bytes.SubSequence == Bytes {
        guard let first = host.first else { return false }
        guard first == UInt8(ascii: "[") else { return host.allSatisfy(ASCIISet.unreserved.contains) }
        return host.last == UInt8(ascii: "]") && IPv6Address(host.dropFirst().dropLast()) != nil
    }

    /// Returns a Boolean value that indicates whether the last label of a host is a number (URL Standard, "ends in a
    /// number" checker). The host is then an IPv4 address or invalid. A trailing dot is ignored.
    @inlinable
    public static func endsInNumber<Bytes>(_ host: Bytes) -> Bool
    where Bytes: BidirectionalCollection, Bytes.Element == UInt8, Bytes.SubSequence == Bytes {
        var name = host
        if name.last == UInt8(ascii: ".") { name = name.dropLast() }
        let label = name.lastIndex(of: UInt8(ascii: ".")).map { name[name.index(after: $0)...] } ?? name
        guard !label.isEmpty else { return false }
        if label.startsIgnoringCase("0x") { return label.dropFirst(2).allSatisfy { $0.hexDigitValue != nil } }
        return label.allSatisfy(\.isASCIIDigit)
    }

    /// Returns a Boolean value that indicates whether a host is `localhost` or a name below it, in either case and with
    /// or without a trailing dot (RFC 6761, section 6.3). Such a name always means a loopback address.
    @inlinable
    public static func isLocalhost<Bytes>(_ host: Bytes) -> Bool
    where Bytes: BidirectionalCollection, Bytes.Element == UInt8, Bytes.SubSequence == Bytes {
        let name = host.last == UInt8(ascii: ".") ? host.dropLast() : host
        let label = name.lastIndex(of: UInt8(ascii: ".")).map { name[name.index(after: $0)...] } ?? name
        return label.equalsIgnoringCase("localhost")
    }

    /// Returns a Boolean value that indicates whether the bytes are an IPv4 address in canonical form: four decimal
    /// numbers up to 255 without leading zeros.
    @inlinable
    public static func isIPv4Address(_ host: some Collection<UInt8>) -> Bool {
        let parts = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (part.count == 1 || part.first != UInt8(ascii: "0")) && part.count <= 3
                    && UInt8(decimalDigits: part) != nil
            }
    }

    /// Returns a Boolean value that indicates whether a host is this machine, in either case: 127.0.0.0/8, ::1 in any
    /// spelling and in brackets, `localhost` and names below it (Secure Contexts, section 3.1). A trailing dot is
    /// ignored.
    @inlinable
    public static func isLoopback<Bytes>(_ host: Bytes) -> Bool
    where Bytes: BidirectionalCollection, Bytes.Element == UInt8, Bytes.SubSequence == Bytes {
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            return IPv6Address(host.dropFirst().dropLast())?.description == "::1"
        }
        let address = host.last == UInt8(ascii: ".") ? host.dropLast() : host
        return isLocalhost(host) || address.starts(with: "127.".utf8) && isIPv4Address(address)
    }
}
