// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// Reads one tag, letter by letter (HTML, section "Tag name state" to "Self-closing start tag state"), and goes on where
/// it stopped when more of it has come.
struct TagScanner {
    private enum State {
        case name, beforeAttribute, attributeName, afterAttributeName, beforeValue, quotedValue, unquotedValue
        case afterValue, selfClosing
    }

    /// More attributes than this are not kept, and the tag is not rewritten.
    private static let maxAttributes = 1_024

    private(set) var tag: HTMLTag
    /// Whether what is known of the tag is all there is to know.
    private(set) var isWhole = true
    private var state = State.name
    /// Where the current name or value begins.
    private var start: Int
    private var attribute = HTMLTag.Attribute(name: 0..<0, value: 0..<0, quote: nil, whole: 0..<0)
    private var isInAttribute = false

    init(isEnd: Bool) {
        tag = HTMLTag(isEnd: isEnd)
        start = isEnd ? 2 : 1
    }

    /// Forgets the attributes, and keeps none from here on: the tag is too long.
    mutating func giveUp() {
        isWhole = false
        isInAttribute = false
        tag.attributes = []
        // What was noted lies in bytes that are gone.
        start = 0
        attribute = HTMLTag.Attribute(name: 0..<0, value: 0..<0, quote: attribute.quote, whole: 0..<0)
    }

    /// - Parameters:
    ///   - bytes: begin at the tag's `<`.
    ///   - index: where to go on; where reading has stopped, when this returns.
    /// - Returns: whether the tag is over; `index` is then after its `>`.
    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Bool {
        while index < bytes.count {
            let byte = bytes[index]
            switch state {
            case .name:
                if byte.isASCIIWhitespace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") {
                    endName(bytes, at: index)
                    state = .beforeAttribute
                } else {
                    index += 1
                }
            case .beforeAttribute: beforeAttribute(byte, &index)
            case .attributeName:
                if byte.isASCIIWhitespace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
                    || byte == UInt8(ascii: "=")
                {
                    attribute.key = ShortName(UnsafeBufferPointer(rebasing: bytes[start..<index]))
                    attribute.name = start..<index
                    attribute.value = index..<index
                    attribute.whole = start..<index
                    state = .afterAttributeName
                } else {
                    index += 1
                }
            case .afterAttributeName:
                if byte == UInt8(ascii: "=") {
                    state = .beforeValue
                    index += 1
                } else if byte.isASCIIWhitespace {
                    index += 1
                } else {
                    endAttribute()
                    state = .beforeAttribute
                }
            case .beforeValue: beforeValue(byte, &index)
            case .quotedValue:
                let quote = attribute.quote
                while index < bytes.count, bytes[index] != quote { index += 1 }
                guard index < bytes.count else { return false }
                attribute.value = start..<index
                index += 1
                attribute.whole = attribute.name.lowerBound..<index
                endAttribute()
                state = .afterValue
            case .unquotedValue:
                if byte.isASCIIWhitespace || byte == UInt8(ascii: ">") {
                    attribute.value = start..<index
                    attribute.whole = attribute.name.lowerBound..<index
                    endAttribute()
                    state = .beforeAttribute
                } else {
                    index += 1
                }
            case .afterValue: state = .beforeAttribute
            case .selfClosing:
                state = .beforeAttribute
                tag.isSelfClosing = byte == UInt8(ascii: ">")
            }
            if state == .beforeAttribute, index < bytes.count, bytes[index] == UInt8(ascii: ">") {
                index += 1
                return true
            }
        }
        return false
    }

    private mutating func beforeAttribute(_ byte: UInt8, _ index: inout Int) {
        if byte == UInt8(ascii: ">") { return }
        if byte == UInt8(ascii: "/") {
            state = .selfClosing
            index += 1
        } else if byte.isASCIIWhitespace {
            index += 1
        } else {
            start = index
            isInAttribute = true
            attribute.quote = nil
            state = .attributeName
            // A `=` here is the first letter of a name.
            index += 1
        }
    }

    private mutating func beforeValue(_ byte: UInt8, _ index: inout Int) {
        if byte.isASCIIWhitespace {
            index += 1
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            attribute.quote = byte
            index += 1
            start = index
            state = .quotedValue
        } else if byte == UInt8(ascii: ">") {
            endAttribute()
            state = .beforeAttribute
        } else {
            start = index
            state = .unquotedValue
        }
    }

    private mutating func endName(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
        guard isWhole else {
            tag.name = .other
            return
        }
        tag.nameRange = start..<index
        tag.name = ShortName(UnsafeBufferPointer(rebasing: bytes[start..<index]))
    }

    private mutating func endAttribute() {
        guard isInAttribute else { return }
        isInAttribute = false
        guard isWhole else { return }
        if tag.attributes.isEmpty { tag.attributes.reserveCapacity(8) }
        tag.attributes.append(attribute)
        if tag.attributes.count > Self.maxAttributes { giveUp() }
    }
}
