// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The lookup in the compiled rules: a binary search in their text, without building or caching a table.
enum RuleTable {
    /// Returns the rules for a name.
    /// - Parameter name: the name in A-labels and lower case.
    static func kinds(of name: ArraySlice<UInt8>) -> RuleKinds {
        CompiledRules.text.withUTF8Buffer { text in
            var low = 0
            var high = text.count
            // Both are at the start of a line or at the end of the text.
            while low < high {
                var start = low + (high - low) / 2
                while start > low, text[start - 1] != newline { start -= 1 }
                var end = start
                while end < high, text[end] != newline { end += 1 }
                var nameEnd = start
                while nameEnd < end, text[nameEnd] != space { nameEnd += 1 }
                switch order(name, text[start..<nameEnd]) {
                case 0:
                    guard nameEnd < end else { return .plain }
                    return text[(nameEnd + 1)..<end].reduce(into: []) { $0.formUnion(RuleKinds(letter: $1)) }
                case ..<0: high = start
                default: low = min(end + 1, high)
                }
            }
            return []
        }
    }

    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    /// Returns a negative number if the left name precedes the right one in byte order.
    private static func order(_ left: ArraySlice<UInt8>, _ right: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        for (a, b) in zip(left, right) where a != b { return a < b ? -1 : 1 }
        return left.count - right.count
    }
}

/// The kinds of rules that the list has for a name.
struct RuleKinds: OptionSet, Sendable {
    let rawValue: UInt8

    /// The name is a public suffix.
    static let plain = RuleKinds(rawValue: 1)
    /// All names directly below the name are public suffixes.
    static let wildcard = RuleKinds(rawValue: 2)
    /// The name is not a public suffix, even if a wildcard matches it.
    static let exception = RuleKinds(rawValue: 4)

    /// Creates the kind of one letter of the compiled form.
    init(letter: UInt8) {
        self =
            switch letter {
            case UInt8(ascii: "e"): .plain
            case UInt8(ascii: "w"): .wildcard
            case UInt8(ascii: "x"): .exception
            default: []
            }
    }

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}
