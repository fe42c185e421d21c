// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A start tag whose attributes are read, changed and dropped. Of several of one name the first counts.
struct TagEditor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let tag: HTMLTag
    private var changes: [ByteEdit] = []
    /// Each name once, in order.
    private(set) var attributes: [ShortName] = []
    private var first: [Int] = []

    /// - Parameter bytes: of the tag; they must live as long as this value.
    init(_ tag: HTMLTag, element: ShortName, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.tag = tag
        self.bytes = bytes
        attributes.reserveCapacity(tag.attributes.count)
        first.reserveCapacity(tag.attributes.count)
        for (index, attribute) in tag.attributes.enumerated() {
            let name = ShortName(bytes[attribute.name])
            // Names too long for the tables may differ.
            guard name != .other, !attributes.contains(name) else { continue }
            attributes.append(name)
            first.append(index)
        }
    }

    /// The changes, in order.
    var edits: [ByteEdit] {
        changes.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private func attribute(_ name: ShortName) -> HTMLTag.Attribute? {
        attributes.firstIndex(of: name).map { tag.attributes[first[$0]] }
    }

    /// The decoded value of an attribute; `nil` where it is not there.
    func value(of name: ShortName) -> [UInt8]? {
        attribute(name).map { CharacterReferences.decode(bytes[$0.value]).bytes }
    }

    /// Changes a value by changes of its decoded text.
    mutating func edit(_ name: ShortName, by edits: ([UInt8]) -> [ByteEdit]) {
        guard let attribute = attribute(name), !attribute.value.isEmpty else { return }
        let text = CharacterReferences.decode(bytes[attribute.value])
        changes += edits(text.bytes).map {
            text.written($0) { CharacterReferences.escape($0, quote: attribute.quote) }
                .moved(by: attribute.value.lowerBound)
        }
    }

    /// Takes an attribute out.
    mutating func drop(_ name: ShortName) {
        guard let attribute = attribute(name) else { return }
        changes.removeAll { attribute.whole.contains($0.range.lowerBound) }
        changes.append(ByteEdit(attribute.whole, []))
    }
}
