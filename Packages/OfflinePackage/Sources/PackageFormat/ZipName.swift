// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ZlibStreams

/// The name of a zip entry as text.
enum ZipName {
    /// Decodes a name: the Unicode Path extra field where it belongs to this name (APPNOTE 4.6.9), else UTF-8 where
    /// the entry says so or the bytes are, else code page 437 (APPNOTE, appendix D).
    /// - Returns: `nil` for a name that says it is UTF-8 and is not.
    static func decode(_ raw: ArraySlice<UInt8>, isUTF8: Bool, extra: ZipExtraFields) -> String? {
        if !extra.unicodePaths.isEmpty {
            let crc32 = raw.withUnsafeBytes { CRC32.checksum(of: $0) }
            if let field = extra.unicodePaths.first(where: { $0.crc32 == crc32 }) {
                return String(validating: field.name, as: UTF8.self)
            }
        }
        if let name = String(validating: raw, as: UTF8.self) { return name }
        return isUTF8 ? nil : String(String.UnicodeScalarView(raw.map(scalar)))
    }

    private static func scalar(_ byte: UInt8) -> Unicode.Scalar {
        byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80]
    }

    /// 0x80 to 0xFF of code page 437.
    private static let upperHalf = Array(
        ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧"
            + "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)
}
