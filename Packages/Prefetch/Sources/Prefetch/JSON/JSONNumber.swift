// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// JSON numbers as text. Values are not rounded, so different numbers stay different.
enum JSONNumber {
    /// Returns the canonical text of a number's exact value: `-12.50e1` becomes `-125`, `1200` becomes `12e2`, `-0`
    /// becomes `0`. A number with an exponent of more than 12 characters is unchanged.
    /// - Parameter text: a number as in RFC 8259, section 6.
    static func canonical(_ text: String) -> String {
        var rest = Substring(text).utf8
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        let mantissa = rest.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        var exponent = 0
        if mantissa.endIndex < rest.endIndex {
            let digits = String(Substring(rest[mantissa.endIndex...].dropFirst()))
            guard digits.utf8.count <= 12, let value = Int(digits) else { return text }
            exponent = value
        }
        var digits: [UInt8] = []
        var isFraction = false
        for byte in mantissa {
            if byte == UInt8(ascii: ".") {
                isFraction = true
            } else {
                digits.append(byte)
                if isFraction { exponent -= 1 }
            }
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        digits.removeFirst(digits.prefix { $0 == UInt8(ascii: "0") }.count)
        guard !digits.isEmpty else { return "0" }
        let value = (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
        return exponent == 0 ? value : "\(value)e\(exponent)"
    }

    /// Returns a Boolean value that indicates whether a text is a JSON integer in canonical form: no plus sign, no
    /// leading zeros, and not `-0`.
    static func isCanonicalInteger(_ text: String) -> Bool {
        var digits = Substring(text).utf8
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        guard let first = digits.first, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return false }
        return first != UInt8(ascii: "0") || digits.count == 1 && !isNegative
    }
}
