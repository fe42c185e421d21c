// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport
internal import WebSyntax
internal import ZlibStreams

/// An encoding of the names of a zip that are neither ASCII nor marked as UTF-8.
///
/// Writers use the code page of their system for such names, and the zip does not name it.
@_spi(Packaging) public enum ZipNameEncoding: String, Sendable, Hashable, CaseIterable {
    /// UTF-8 without the mark, as macOS writes it.
    case utf8 = "utf-8"
    /// Code page 437, the encoding of APPNOTE, appendix D.
    case cp437
    /// Code page 850, the DOS code page of western Europe.
    case cp850
    /// Code page 866, the DOS code page of Cyrillic systems.
    case cp866
    /// Code page 932, the Windows form of Shift_JIS.
    case shiftJIS = "shift_jis"
    /// GB 18030, which includes GBK and GB 2312.
    case gbk
    /// Big5.
    case big5
    /// Code page 949, the Windows form of EUC-KR.
    case eucKR = "euc-kr"
    /// KOI8-R.
    case koi8r = "koi8-r"
    /// Windows code page 1251.
    case windows1251 = "windows-1251"
    /// Windows code page 1252.
    case windows1252 = "windows-1252"

    /// Creates the encoding of a name or of a label of the WHATWG Encoding standard, ignoring case. Returns `nil` for
    /// an encoding that is not supported.
    public init?(label: String) {
        let name = CharacterEncoding(label: label)?.description ?? label.lowercased()
        switch name {
        case "ibm437": self = .cp437
        case "ibm850": self = .cp850
        case "ibm866": self = .cp866
        case "gb18030": self = .gbk
        default: self.init(rawValue: name)
        }
    }

    /// Returns the text of a name, or `nil` if its bytes are not valid in the encoding.
    func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        // The values of encodings without a constant are those of CoreFoundation, with the highest bit set.
        let rawValue: UInt
        switch self {
        case .utf8: return String(validUTF8: bytes)
        case .cp437: return Self.text(bytes, Self.upperHalf437)
        case .cp866: return Self.text(bytes, Self.upperHalf866)
        case .cp850: rawValue = 0x8000_0410
        case .shiftJIS: rawValue = String.Encoding.shiftJIS.rawValue
        case .gbk: rawValue = 0x8000_0632
        case .big5: rawValue = 0x8000_0A03
        case .eucKR: rawValue = 0x8000_0422
        case .koi8r: rawValue = 0x8000_0A02
        case .windows1251: rawValue = String.Encoding.windowsCP1251.rawValue
        case .windows1252: rawValue = String.Encoding.windowsCP1252.rawValue
        }
        guard let text = String(bytes: bytes, encoding: String.Encoding(rawValue: rawValue)) else { return nil }
        // Foundation decodes some invalid bytes as private characters.
        let isValid = text.unicodeScalars.allSatisfy { scalar in
            scalar != "\u{FFFD}" && scalar.properties.generalCategory != .privateUse
        }
        return isValid ? text : nil
    }

    private static func text(_ bytes: ArraySlice<UInt8>, _ upperHalf: [Unicode.Scalar]) -> String {
        String(
            String.UnicodeScalarView(bytes.map { $0 < 0x80 ? Unicode.Scalar($0) : upperHalf[Int($0) - 0x80] }))
    }

    private static let lines = "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
    /// The characters 0x80 to 0xFF of code page 437.
    private static let upperHalf437 = Array(
        ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»" + lines + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}")
            .unicodeScalars)
    /// The characters 0x80 to 0xFF of code page 866.
    private static let upperHalf866 = Array(
        ("АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп" + lines + "рстуфхцчшщъыьэюяЁёЄєЇїЎў°∙·√№¤■\u{A0}")
            .unicodeScalars)
}

/// The name of a zip entry as text.
enum ZipName {
    /// The reason for which a name has no text.
    enum DecodeError: Error {
        /// The name is marked as UTF-8 and is not valid.
        case invalid
        /// The name is neither ASCII nor marked as UTF-8, and no encoding was given.
        case unmarked
        /// The name is not valid in the given encoding.
        case notIn(ZipNameEncoding)

        /// The message of an error about the name.
        func message(_ raw: ArraySlice<UInt8>) -> String {
            let ascii = raw.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
            let name = String(decoding: ascii, as: UTF8.self).printable(limit: 200)
            return switch self {
            case .invalid: "the name is not valid UTF-8: \(name)"
            case .unmarked:
                "the name is neither ASCII nor marked as UTF-8; state its encoding with --names of h5: \(name)"
            case .notIn(let encoding): "the name is not valid \(encoding.rawValue): \(name)"
            }
        }
    }

    /// Returns the name of a folder without its final slash.
    ///
    /// A slash and a scalar before or after it can be one `Character`, so the name is cut by bytes.
    static func withoutSlash(_ name: String) -> String {
        String(Substring(name.utf8.dropLast()))
    }

    /// Decodes a name.
    ///
    /// A Unicode Path field is used if its CRC-32 matches the raw name (APPNOTE 4.6.9). Otherwise the name is UTF-8 if
    /// the entry declares UTF-8, and ASCII if it has only ASCII bytes. Readers interpret all other names differently,
    /// so they need an encoding.
    /// - Parameter encoding: the encoding of names that are neither ASCII nor marked as UTF-8, or `nil` to refuse them.
    static func decode(
        _ raw: ArraySlice<UInt8>, isUTF8: Bool, extra: ZipExtraFields, encoding: ZipNameEncoding?
    ) throws(DecodeError) -> String {
        if !extra.unicodePaths.isEmpty {
            let crc32 = raw.withUnsafeBytes { CRC32.checksum(of: $0) }
            if let field = extra.unicodePaths.first(where: { $0.crc32 == crc32 }) {
                guard let name = String(validUTF8: field.name) else { throw .invalid }
                return name
            }
        }
        if isUTF8 || raw.allSatisfy({ $0 < 0x80 }) {
            guard let name = String(validUTF8: raw) else { throw .invalid }
            return name
        }
        guard let encoding else { throw .unmarked }
        guard let name = encoding.decode(raw) else { throw .notIn(encoding) }
        return name
    }
}
