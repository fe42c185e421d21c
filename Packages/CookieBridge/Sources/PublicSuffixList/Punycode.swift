// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The encoder of RFC 3492: a label of any script in letters, digits and hyphens.
enum Punycode {
    /// Encodes a label; without the prefix `xn--`.
    /// - Returns: `nil` where the arithmetic overflows, which no label of a host name makes it do.
    static func encode(_ label: Substring.UnicodeScalarView) -> [UInt8]? {
        let input = label.map(\.value)
        var output = input.filter { $0 < 0x80 }.map { UInt8(truncatingIfNeeded: $0) }
        let basic = output.count
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var done = basic
        var (next, delta, bias) = (UInt32(128), UInt32(0), UInt32(72))
        while done < input.count {
            guard let least = input.lazy.filter({ $0 >= next }).min(),
                let step = product(least - next, UInt32(done + 1)), let sum = sum(delta, step)
            else { return nil }
            delta = sum
            next = least
            for value in input {
                if value < next {
                    delta += 1
                } else if value == next {
                    append(delta, bias, to: &output)
                    bias = adapt(delta, count: UInt32(done + 1), isFirst: done == basic)
                    delta = 0
                    done += 1
                }
            }
            delta += 1
            next += 1
        }
        return output
    }

    private static let (base, least, most): (UInt32, UInt32, UInt32) = (36, 1, 26)

    /// A number of variable length (RFC 3492, section 3.3).
    private static func append(_ delta: UInt32, _ bias: UInt32, to output: inout [UInt8]) {
        var rest = delta
        var place = base
        while true {
            let limit = place <= bias ? least : min(most, place - bias)
            if rest < limit { break }
            output.append(digit(limit + (rest - limit) % (base - limit)))
            rest = (rest - limit) / (base - limit)
            place += base
        }
        output.append(digit(rest))
    }

    /// RFC 3492, section 3.4.
    private static func adapt(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps: UInt32 = 0
        while delta > (base - least) * most / 2 {
            delta /= base - least
            steps += base
        }
        return steps + (base - least + 1) * delta / (delta + 38)
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: value) + (value < 26 ? UInt8(ascii: "a") : UInt8(ascii: "0") - 26)
    }

    private static func product(_ left: UInt32, _ right: UInt32) -> UInt32? {
        let (value, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? nil : value
    }

    private static func sum(_ left: UInt32, _ right: UInt32) -> UInt32? {
        let (value, overflow) = left.addingReportingOverflow(right)
        return overflow ? nil : value
    }
}
