// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension StringProtocol where SubSequence == Substring {
    /// Without the blanks that may stand around a field's value, or around an element of its list.
    var trimmed: Substring {
        let isBlank = { (letter: UInt8) in letter == UInt8(ascii: " ") || letter == UInt8(ascii: "\t") }
        var rest = self[...].utf8
        while rest.first.map(isBlank) ?? false { rest.removeFirst() }
        while rest.last.map(isBlank) ?? false { rest.removeLast() }
        return Substring(rest)
    }
}
