// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Numbers of JSON as texts: no value is rounded, so that two different ones never become one.
enum JSONNumber {
    /// The one spelling of a number's exact value: `-12.50e1` is `-125`, `1200` is `12e2`, `-0` is `0`. A number whose
    /// exponent is out of all reason stays as it is.
    /// - Parameter text: as RFC 8259, section 6, has it.
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

    /// Whether a text is an integer of JSON in its only spelling: no sign but a minus, no zeros in front, and no `-0`.
    static func isCanonicalInteger(_ text: String) -> Bool {
        var digits = Substring(text).utf8
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        guard let first = digits.first, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return false }
        return first != UInt8(ascii: "0") || digits.count == 1 && !isNegative
    }
}
