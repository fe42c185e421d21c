// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// An editor of a start tag's attributes. Of several attributes with one name, the first one counts.
struct TagEditor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let tag: HTMLTag
    private var changes: [ByteEdit] = []

    /// Creates an editor.
    /// - Parameters:
    ///   - tag: The tag.
    ///   - bytes: The bytes of the tag, which must outlive this value.
    init(_ tag: HTMLTag, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.tag = tag
        self.bytes = bytes
    }

    /// The name of the element.
    var name: ShortName { tag.name }

    /// A Boolean value that indicates whether a `<link>` loads or preloads a style sheet.
    var loadsStyleSheet: Bool {
        let words = value(of: "rel")?.split { $0.isASCIIWhitespace } ?? []
        return words.contains { $0.equalsIgnoringCase("stylesheet") }
            || words.contains { $0.equalsIgnoringCase("preload") }
                && value(of: "as")?.equalsIgnoringCase("style") == true
    }

    /// The effective attributes in order. Names that are too long for the tables are omitted.
    var attributes: some Sequence<ShortName> {
        tag.attributes.indices.lazy.filter { index in
            let key = tag.attributes[index].key
            return key != .other && !tag.attributes[..<index].contains { $0.key == key }
        }.map { tag.attributes[$0].key }
    }

    /// The edits in order.
    var edits: [ByteEdit] {
        changes.count < 2 ? changes : changes.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private func attribute(_ name: ShortName) -> HTMLTag.Attribute? {
        tag.attributes.first { $0.key == name }
    }

    /// Returns the decoded value of an attribute; `nil` if it is absent.
    func value(of name: ShortName) -> [UInt8]? {
        attribute(name).map { CharacterReferences.decode(bytes[$0.value]).bytes }
    }

    /// Returns a Boolean value that indicates whether an attribute is present.
    func has(_ name: ShortName) -> Bool {
        attribute(name) != nil
    }

    /// Returns a Boolean value that indicates whether a value may contain a host. A host requires a slash or a colon,
    /// possibly escaped.
    func mayHoldURL(_ name: ShortName) -> Bool {
        guard let value = attribute(name)?.value else { return false }
        return bytes[value].contains {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "&")
        }
    }

    /// Edits a value by edits of its decoded text.
    mutating func edit(_ name: ShortName, by edits: ([UInt8], TagEditor) -> [ByteEdit]) {
        guard let attribute = attribute(name), !attribute.value.isEmpty else { return }
        let text = CharacterReferences.decode(bytes[attribute.value])
        let found = edits(text.bytes, self)
        guard !found.isEmpty else { return }
        changes += found.map {
            text.written($0) { CharacterReferences.escape($0, quote: attribute.quote) }
                .moved(by: attribute.value.lowerBound)
        }
    }

    /// Adds an attribute, which the tag must not have. The value must need no quotation marks.
    mutating func add(_ name: ShortName, _ value: StaticString) {
        changes.append(ByteEdit(tag.nameRange.upperBound..<tag.nameRange.upperBound, " \(name)=\(value)".utf8))
    }

    /// Removes an attribute and all its duplicates. Otherwise the first duplicate would become effective.
    mutating func drop(_ name: ShortName) {
        for attribute in tag.attributes where attribute.key == name {
            changes.removeAll { attribute.whole.contains($0.range.lowerBound) }
            changes.append(ByteEdit(attribute.whole, []))
        }
    }
}
