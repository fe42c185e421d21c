// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The prescan of an HTML document for its encoding (WHATWG HTML, section 13.2.3.2), except for UTF-16.
@_spi(Facade) public struct HTMLPrescan {
    private struct Attribute {
        var name: [UInt8] = []
        var value: [UInt8] = []
    }

    /// The error that reports the end of the bytes.
    private struct End: Error {}

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the encoding that the first 1,024 bytes declare, or `nil`.
    /// - Parameter bytes: the document, or its start.
    public static func encoding(in bytes: [UInt8]) -> CharacterEncoding? {
        let bytes = Array(bytes.prefix(CharsetSniffer.prescanLength))
        var prescan = HTMLPrescan(bytes)
        do {
            return try prescan.run()
        } catch {
            return CharsetSniffer.xmlEncoding(in: bytes)
        }
    }

    private mutating func run() throws(End) -> CharacterEncoding {
        while true {
            if starts(with: "<!--") {
                // The dashes of the start may also be the dashes of the end, as in `<!-->`.
                position += 2
                while !starts(with: "-->") { try advance() }
                position += 2
            } else if starts(with: "<meta"), bytes.indices.contains(position + 5),
                bytes[position + 5].isASCIIWhitespace || bytes[position + 5] == UInt8(ascii: "/")
            {
                position += 5
                if let encoding = try meta() { return encoding }
            } else if try isTag() {
                while try !byte().isASCIIWhitespace, try byte() != UInt8(ascii: ">") { try advance() }
                while try attribute() != nil {}
            } else if starts(with: "<!") || starts(with: "</") || starts(with: "<?") {
                while try byte() != UInt8(ascii: ">") { try advance() }
            }
            try advance()
        }
    }

    /// Reads the attributes of a `meta` element and returns the encoding that it declares.
    private mutating func meta() throws(End) -> CharacterEncoding? {
        var names: Set<[UInt8]> = []
        var isPragma = false
        var needsPragma: Bool?
        var encoding: CharacterEncoding?
        while let attribute = try attribute() {
            guard names.insert(attribute.name).inserted else { continue }
            switch String(decoding: attribute.name, as: UTF8.self) {
            case "http-equiv": isPragma = attribute.value.elementsEqual("content-type".utf8)
            case "content":
                guard needsPragma == nil, let found = Self.encoding(inContent: attribute.value) else { continue }
                (encoding, needsPragma) = (found, true)
            case "charset":
                encoding = CharacterEncoding(label: String(decoding: attribute.value, as: UTF8.self))
                needsPragma = false
            default: continue
            }
        }
        guard let needsPragma, !needsPragma || isPragma else { return nil }
        return encoding
    }

    /// Returns the encoding of a `content` attribute ("extracting a character encoding from a meta element").
    private static func encoding(inContent value: [UInt8]) -> CharacterEncoding? {
        var rest = value[...]
        while let name = rest.firstRange(of: Array("charset".utf8)) {
            rest = rest[name.upperBound...].drop(while: \.isASCIIWhitespace)
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: \.isASCIIWhitespace)
            guard let first = rest.first else { return nil }
            if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
                rest = rest.dropFirst()
                guard let end = rest.firstIndex(of: first) else { return nil }
                return CharacterEncoding(label: String(decoding: rest[..<end], as: UTF8.self))
            }
            let label = rest.prefix { !$0.isASCIIWhitespace && $0 != UInt8(ascii: ";") }
            return CharacterEncoding(label: String(decoding: label, as: UTF8.self))
        }
        return nil
    }

    /// Reads the next attribute of a tag ("get an attribute"). Returns `nil` at the end of the tag.
    private mutating func attribute() throws(End) -> Attribute? {
        while true {
            let byte = try byte()
            guard byte.isASCIIWhitespace || byte == UInt8(ascii: "/") else { break }
            try advance()
        }
        if try byte() == UInt8(ascii: ">") { return nil }
        var attribute = Attribute()
        while true {
            let byte = try byte()
            if byte == UInt8(ascii: "="), !attribute.name.isEmpty {
                try advance()
                break
            }
            if byte.isASCIIWhitespace {
                while try self.byte().isASCIIWhitespace { try advance() }
                guard try self.byte() == UInt8(ascii: "=") else { return attribute }
                try advance()
                break
            }
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") { return attribute }
            attribute.name.append(byte.asciiLowercased)
            try advance()
        }
        while try byte().isASCIIWhitespace { try advance() }
        let quote = try byte()
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            try advance()
            while try byte() != quote {
                attribute.value.append(try byte().asciiLowercased)
                try advance()
            }
            try advance()
            return attribute
        }
        while try !byte().isASCIIWhitespace, try byte() != UInt8(ascii: ">") {
            attribute.value.append(try byte().asciiLowercased)
            try advance()
        }
        return attribute
    }

    /// Returns a Boolean value that indicates whether a start or end tag with a name begins at the current position.
    private func isTag() throws(End) -> Bool {
        guard try byte() == UInt8(ascii: "<") else { return false }
        let name = bytes.dropFirst(position + 1).first == UInt8(ascii: "/") ? position + 2 : position + 1
        guard bytes.indices.contains(name) else { return false }
        return bytes[name].isASCIILetter
    }

    private func byte() throws(End) -> UInt8 {
        guard position < bytes.count else { throw End() }
        return bytes[position]
    }

    private mutating func advance() throws(End) {
        position += 1
        if position >= bytes.count { throw End() }
    }

    private func starts(with text: String) -> Bool {
        bytes.dropFirst(position).prefix(text.utf8.count).map(\.asciiLowercased).elementsEqual(text.utf8)
    }
}
