// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A start or end tag, with offsets from its `<`.
struct HTMLTag {
    /// An attribute in the source text.
    struct Attribute {
        var key: ShortName = .none
        /// The range of the name.
        var name: Range<Int>
        /// The range of the value without quotes; empty if there is none.
        var value: Range<Int>
        /// The quotation mark around the value; `nil` if there is none.
        var quote: UInt8?
        /// The range of the name, value and quotes.
        var whole: Range<Int>
    }

    var isEnd: Bool
    var name: ShortName = ""
    var nameRange = 0..<0
    var attributes: [Attribute] = []
    var isSelfClosing = false
}
