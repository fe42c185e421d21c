// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The one spelling in which a host means the same to a URL of http and to one of another scheme (URL standard,
/// section 3.5): engines neither map, decode nor shorten the hosts of other schemes.
enum HostSpelling {
    /// Host and port, without the scheme's own port; `nil` for what has no plain spelling, or none at all.
    /// - Parameter authority: in lower case.
    static func plain(_ authority: [UInt8], scheme: String) -> String? {
        var host = authority[...]
        var port: Int?
        if let colon = host.lastIndex(of: UInt8(ascii: ":")), !host[colon...].contains(UInt8(ascii: "]")) {
            let digits = host[(colon + 1)...]
            guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
            let significant = digits.drop { $0 == UInt8(ascii: "0") }
            guard significant.count <= 5 else { return nil }
            let number = significant.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            guard number <= 65_535 else { return nil }
            if !digits.isEmpty, number != (scheme == "http" ? 80 : 443) { port = number }
            host = host[..<colon]
        }
        guard isName(host) || isAddress(host) else { return nil }
        return String(decoding: host, as: UTF8.self) + (port.map { ":\($0)" } ?? "")
    }

    /// A name, or an address of IPv4 in its long form: what ends in a number is an address, whatever it looks like.
    private static func isName(_ host: ArraySlice<UInt8>) -> Bool {
        guard !host.isEmpty,
            host.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0) })
        else { return false }
        let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // The root's dot does not count.
        let last = labels.last?.isEmpty == true ? labels.dropLast().last : labels.last
        guard let last, last.allSatisfy(\.isASCIIDigit) || last.starts(with: "0x".utf8) else { return true }
        if last.starts(with: "0x".utf8), !last.dropFirst(2).allSatisfy({ $0.hexDigitValue != nil }) { return true }
        if last.isEmpty { return true }
        return labels.count == 4
            && labels.allSatisfy { label in
                (1...3).contains(label.count) && label.allSatisfy(\.isASCIIDigit)
                    && (label.count == 1 || label.first != UInt8(ascii: "0"))
                    && label.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
            }
    }

    /// An address of IPv6 in its brackets.
    private static func isAddress(_ host: ArraySlice<UInt8>) -> Bool {
        host.count > 3 && host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
            && host.dropFirst().dropLast().allSatisfy { $0.hexDigitValue != nil || ":.".utf8.contains($0) }
    }
}
