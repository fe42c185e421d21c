// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A start or end tag; offsets count from its `<`.
struct HTMLTag {
    /// An attribute as it is written.
    struct Attribute {
        var key: ShortName = .none
        /// The name's letters.
        var name: Range<Int>
        /// The value's letters, without quotes; empty where there is none.
        var value: Range<Int>
        /// What stands around the value.
        var quote: UInt8?
        /// Name, value and quotes.
        var whole: Range<Int>
    }

    var isEnd: Bool
    var name: ShortName = ""
    var nameRange = 0..<0
    var attributes: [Attribute] = []
    var isSelfClosing = false
}
