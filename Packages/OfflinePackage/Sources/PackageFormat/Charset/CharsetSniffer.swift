// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// A detector of the character encoding of a text file.
///
/// A byte order mark has priority, then the declaration in the first 1,024 bytes. HTML documents use the prescan of
/// WHATWG HTML (section 13.2.3.2), XML documents their declaration, and style sheets `@charset` (CSS Syntax Level 3,
/// section 3.2). Without a byte order mark and a declaration, non-ASCII bytes that are valid UTF-8 mean UTF-8. ASCII
/// bytes alone do not determine the encoding. Then the referring document or its `charset` attribute decides, as for a
/// response without `charset`.
@_spi(Packaging) public struct CharsetSniffer: Sendable {
    /// The result of sniffing.
    enum Finding: Hashable {
        /// A byte order mark or a declaration names the encoding, and the bytes do not contradict it.
        case declared(CharacterEncoding)
        /// The file declares an encoding that its bytes contradict.
        case contradictory
        /// The bytes are valid UTF-8 and not all ASCII.
        case utf8
        /// The bytes do not determine the encoding.
        case unknown
    }

    private enum Kind {
        case html, xml, styleSheet, other
    }

    /// The number of bytes that are searched for a declaration.
    static let prescanLength = 1_024

    private let kind: Kind
    private var start: [UInt8] = []
    private var validator = UTF8Validator()

    /// Creates a sniffer for a file, or returns `nil` if its media type has parameters or is not a text type.
    /// - Parameter mediaType: the media type in lower case.
    public init?(mediaType: String) {
        guard !mediaType.contains(";"), MediaTypes.isText(mediaType) else { return nil }
        kind =
            switch mediaType {
            case "text/html": .html
            case "text/css": .styleSheet
            case "text/xml", "application/xml": .xml
            default: mediaType.hasSuffix("+xml") ? .xml : .other
            }
    }

    /// Appends the next bytes of the file.
    public mutating func append(_ data: Data) {
        if start.count < Self.prescanLength { start += data.prefix(Self.prescanLength - start.count) }
        validator.append(data)
    }

    /// The finding. It is final after all bytes of the file are appended.
    var finding: Finding {
        if let mark = byteOrderMark { return .declared(mark) }
        let isUTF8 = validator.isComplete
        if let encoding = declaration {
            guard encoding.canBeDeclaredInASCII else { return .contradictory }
            if encoding == .utf8 { return isUTF8 ? .declared(encoding) : .contradictory }
            return isUTF8 && validator.hasNonASCII ? .contradictory : .declared(encoding)
        }
        return isUTF8 && validator.hasNonASCII ? .utf8 : .unknown
    }

    /// Returns the parameter for the file's `Content-Type`, such as `;charset=utf-8`, or an empty string if the
    /// encoding is not certain.
    /// - Parameter encoding: the encoding of files that do not declare one, or `nil` if it is not known.
    public func parameter(undeclared encoding: CharacterEncoding? = nil) -> String {
        let known: CharacterEncoding? =
            switch finding {
            case .declared(let declared): declared
            case .contradictory: nil
            case .utf8: encoding ?? .utf8
            case .unknown: encoding
            }
        return known.map { ";charset=\($0)" } ?? ""
    }

    private var byteOrderMark: CharacterEncoding? {
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        if start.starts(with: [0xFE, 0xFF]) { return .utf16BigEndian }
        if start.starts(with: [0xFF, 0xFE]) { return .utf16LittleEndian }
        return nil
    }

    private var declaration: CharacterEncoding? {
        switch kind {
        case .html: HTMLPrescan.encoding(in: start)
        case .xml: Self.xmlEncoding(in: start)
        case .styleSheet: Self.styleSheetEncoding(in: start)
        case .other: nil
        }
    }

    /// Returns the encoding of an XML declaration (WHATWG HTML, "get an XML encoding"), or `nil`.
    static func xmlEncoding(in bytes: [UInt8]) -> CharacterEncoding? {
        guard bytes.starts(with: "<?xml".utf8), let end = bytes.firstIndex(of: UInt8(ascii: ">")),
            let name = bytes[..<end].firstRange(of: Array("encoding".utf8))
        else { return nil }
        var rest = bytes[name.upperBound..<end].drop { $0 <= 0x20 }
        guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
        rest = rest.drop { $0 <= 0x20 }
        guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let close = rest.firstIndex(of: quote), !rest[..<close].contains(where: { $0 <= 0x20 })
        else { return nil }
        return CharacterEncoding(label: String(decoding: rest[..<close], as: UTF8.self))
    }

    private static func styleSheetEncoding(in bytes: [UInt8]) -> CharacterEncoding? {
        let rule = Array("@charset \"".utf8)
        guard bytes.starts(with: rule) else { return nil }
        let label = bytes.dropFirst(rule.count).prefix { $0 != UInt8(ascii: "\"") }
        guard bytes[label.endIndex...].starts(with: "\";".utf8) else { return nil }
        return CharacterEncoding(label: String(decoding: label, as: UTF8.self))
    }
}
