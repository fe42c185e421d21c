// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What the list says about a name.
struct RuleKinds: OptionSet, Sendable {
    let rawValue: UInt8

    /// The name is a public suffix.
    static let plain = RuleKinds(rawValue: 1)
    /// All names right below are.
    static let wildcard = RuleKinds(rawValue: 2)
    /// The name is none, whatever a wildcard says.
    static let exception = RuleKinds(rawValue: 4)

    /// Reads one letter of the compiled form.
    init(letter: UInt8, in section: SuffixList.Section) {
        let counts = section == .all
        self =
            switch letter {
            case UInt8(ascii: "e"): .plain
            case UInt8(ascii: "w"): .wildcard
            case UInt8(ascii: "x"): .exception
            case UInt8(ascii: "p") where counts: .plain
            case UInt8(ascii: "q") where counts: .wildcard
            case UInt8(ascii: "y") where counts: .exception
            default: []
            }
    }

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}
