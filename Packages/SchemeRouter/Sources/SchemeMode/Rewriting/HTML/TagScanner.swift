// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// An incremental scanner of one tag (HTML, sections "Tag name state" to "Self-closing start tag state"). It continues
/// where it stopped when more bytes are available.
struct TagScanner {
    private enum State {
        case name, beforeAttribute, attributeName, afterAttributeName, beforeValue, quotedValue, unquotedValue
        case afterValue, selfClosing
    }

    /// The maximum number of attributes. A tag with more attributes is not rewritten.
    private static let maxAttributes = 1_024

    private(set) var tag: HTMLTag
    /// A Boolean value that indicates whether all attributes of the tag are known.
    private(set) var isWhole = true
    private var state = State.name
    /// The start of the current name or value.
    private var start: Int
    private var attribute = HTMLTag.Attribute(name: 0..<0, value: 0..<0, quote: nil, whole: 0..<0)
    private var isInAttribute = false

    init(isEnd: Bool) {
        tag = HTMLTag(isEnd: isEnd)
        start = isEnd ? 2 : 1
    }

    /// Drops the attributes of a tag that is too long, and records no further attributes.
    mutating func dropAttributes() {
        isWhole = false
        isInAttribute = false
        tag.attributes = []
        // The recorded offsets refer to bytes that were dropped.
        start = 0
        attribute = HTMLTag.Attribute(name: 0..<0, value: 0..<0, quote: attribute.quote, whole: 0..<0)
    }

    /// Scans more bytes.
    /// - Parameters:
    ///   - bytes: The bytes from the tag's `<` on.
    ///   - index: The index to continue at; updated to the index at which scanning stopped.
    /// - Returns: A Boolean value that indicates whether the tag is complete; `index` is then after its `>`.
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
            // A `=` here is the first character of a name.
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
        if tag.attributes.count > Self.maxAttributes { dropAttributes() }
    }
}
