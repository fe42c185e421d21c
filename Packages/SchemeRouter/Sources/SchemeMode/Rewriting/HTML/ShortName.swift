// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The name of an element or attribute with up to 16 ASCII characters in lower case, in a form that is cheap to
/// compare.
///
/// All longer names, and all names with a NUL, are equal to ``other``. The tables of elements and attributes contain no
/// such name.
struct ShortName: Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    static let other = ShortName(high: .max, low: .max)

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init(_ bytes: some Collection<UInt8>) {
        // A parser replaces NUL with another character (HTML, sections "Tag name state" and "Attribute name state").
        guard bytes.count <= 16, !bytes.contains(0) else {
            self = .other
            return
        }
        for byte in bytes {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte.asciiLowercased)
        }
    }

    init(stringLiteral value: StaticString) {
        self = value.withUTF8Buffer { ShortName($0) }
    }

    /// The name without its namespace prefix: `image` for `svg:image`.
    var local: ShortName {
        let bytes = Array(description.utf8)
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return self }
        return ShortName(bytes[(colon + 1)...])
    }

    var description: String {
        guard self != .other else { return "…" }
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - $0 % 8 * 8)) }
        return String(decoding: bytes.drop { $0 == 0 }, as: UTF8.self)
    }
}

/// Names that are compared with every tag, created once.
extension ShortName {
    static let none: ShortName = ""
    static let annotation: ShortName = "annotation-xml"
    static let base: ShortName = "base"
    static let font: ShortName = "font"
    static let link: ShortName = "link"
    static let math: ShortName = "math"
    static let meta: ShortName = "meta"
    static let script: ShortName = "script"
    static let style: ShortName = "style"
    static let svg: ShortName = "svg"
}
