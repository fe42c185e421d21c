// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A start tag whose attributes are read, changed and dropped. Of several of one name the first counts.
struct TagEditor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let tag: HTMLTag
    private var changes: [ByteEdit] = []

    /// - Parameter bytes: of the tag; they must live as long as this value.
    init(_ tag: HTMLTag, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.tag = tag
        self.bytes = bytes
    }

    /// The attributes that count, in order. Of names too long for the tables none does.
    var attributes: some Sequence<ShortName> {
        tag.attributes.indices.lazy.filter { index in
            let key = tag.attributes[index].key
            return key != .other && !tag.attributes[..<index].contains { $0.key == key }
        }.map { tag.attributes[$0].key }
    }

    /// The changes, in order.
    var edits: [ByteEdit] {
        changes.count < 2 ? changes : changes.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private func attribute(_ name: ShortName) -> HTMLTag.Attribute? {
        tag.attributes.first { $0.key == name }
    }

    /// The decoded value of an attribute; `nil` where it is not there.
    func value(of name: ShortName) -> [UInt8]? {
        attribute(name).map { CharacterReferences.decode(bytes[$0.value]).bytes }
    }

    /// Whether a value may name a host: none does without a slash or a colon, however they are written.
    func mayHoldURL(_ name: ShortName) -> Bool {
        guard let value = attribute(name)?.value else { return false }
        return bytes[value].contains {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "&")
        }
    }

    /// Changes a value by changes of its decoded text.
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

    /// Takes an attribute out, and all others of its name, of which one would come in its place.
    mutating func drop(_ name: ShortName) {
        for attribute in tag.attributes where attribute.key == name {
            changes.removeAll { attribute.whole.contains($0.range.lowerBound) }
            changes.append(ByteEdit(attribute.whole, []))
        }
    }
}
