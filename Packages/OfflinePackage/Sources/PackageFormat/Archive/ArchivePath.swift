// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport
internal import WebSyntax

/// The relative path of a file inside a package, with `/` as separator, valid on every file system.
///
/// The spelling is kept, and paths are compared byte by byte. No component is empty, `.` or `..`. Compatibility
/// mapping, for example of full-width dots and slashes, yields no such dots either. A path has no backslashes, control
/// characters or drive letters. A component has at most 255 bytes, which is the limit of common file systems.
public struct ArchivePath: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The path as text.
    public let description: String

    /// Creates a path that is within the default limits.
    /// - Throws: ``PackageError`` with code `unsafePath` or `tooLarge`.
    public init(_ string: String) throws {
        try self.init(string, limits: .default)
    }

    /// Creates a path that is within ``ArchiveLimits/maxPathBytes`` and ``ArchiveLimits/maxDepth``.
    /// - Throws: ``PackageError`` with code `unsafePath` or `tooLarge`.
    public init(_ string: String, limits: ArchiveLimits) throws {
        func refuse(_ reason: String, _ code: PackageError.Code = .unsafePath) -> PackageError {
            PackageError(code, reason, at: string.printable(limit: 200))
        }
        guard string.utf8.count <= limits.maxPathBytes else {
            throw refuse("path of more than \(limits.maxPathBytes) bytes", .tooLarge)
        }
        let isASCII = string.utf8.allSatisfy { $0 < 0x80 }
        let hasControl =
            isASCII
            ? string.utf8.contains { $0 < 0x20 || $0 == 0x7F }
            : string.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !hasControl else {
            throw refuse("control character in a path")
        }
        guard !string.utf8.contains(UInt8(ascii: "\\")) else { throw refuse("backslash in a path") }
        guard !Self.isAbsolute(string) else { throw refuse("absolute path") }
        var depth = 0
        for part in string.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            depth += 1
            guard !part.isEmpty else { throw refuse("empty component in a path") }
            guard part.count <= 255 else { throw refuse("component of more than 255 bytes in a path", .tooLarge) }
            guard !Self.isDots(part) else { throw refuse("dot component in a path") }
        }
        guard depth <= limits.maxDepth else {
            throw refuse("path of more than \(limits.maxDepth) components", .tooLarge)
        }
        if !isASCII {
            // Some systems map full-width dots, slashes and colons to the plain characters.
            let mapped = UnicodeForm.compatible(string)
            let separators: Set = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
            let parts = mapped.utf8.split(whereSeparator: separators.contains)
            guard !Self.isAbsolute(mapped), mapped.utf8.first != UInt8(ascii: "\\"),
                !parts.contains(where: { Self.isDots($0) })
            else {
                throw refuse("path whose compatibility mapping is unsafe")
            }
        }
        description = string
    }

    /// The components of the path; the last one is the file name.
    ///
    /// The path is split by bytes, because a slash and the scalars around it can be one `Character`.
    public var parts: [Substring] { description.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) } }

    /// Checks the path against narrower limits than it was created with.
    /// - Throws: ``PackageError`` with code `tooLarge`.
    func check(_ limits: ArchiveLimits) throws {
        guard description.utf8.count <= limits.maxPathBytes else {
            throw PackageError(.tooLarge, "path of more than \(limits.maxPathBytes) bytes", at: description)
        }
        guard description.utf8.count(where: { $0 == UInt8(ascii: "/") }) < limits.maxDepth else {
            throw PackageError(.tooLarge, "path of more than \(limits.maxDepth) components", at: description)
        }
    }

    /// Orders paths by Unicode scalars, which is also the order of the UTF-8 bytes.
    public static func < (left: Self, right: Self) -> Bool { ByteText(left.description) < ByteText(right.description) }

    /// Returns a Boolean value that indicates whether both paths have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.description.hasSameBytes(as: right.description) }

    /// Hashes the bytes of the path.
    public func hash(into hasher: inout Hasher) { description.hashBytes(into: &hasher) }

    /// Returns a Boolean value that indicates whether a path begins with a slash or a drive letter.
    private static func isAbsolute(_ path: String) -> Bool {
        if path.utf8.first == UInt8(ascii: "/") { return true }
        let start = Array(path.utf8.prefix(2))
        guard start.count == 2, start[1] == UInt8(ascii: ":") else { return false }
        return start[0].isASCIILetter
    }

    private static func isDots(_ part: Substring.UTF8View) -> Bool {
        part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8)
    }
}

extension ArchivePath: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Unicode normalization forms.
enum UnicodeForm {
    /// Returns the string in normalization form C.
    static func canonical(_ string: String) -> String {
        isASCII(string) ? string : string.precomposedStringWithCanonicalMapping
    }

    /// Returns the string in normalization form KC.
    static func compatible(_ string: String) -> String {
        isASCII(string) ? string : string.precomposedStringWithCompatibilityMapping
    }

    /// Returns a key that is equal for all names that a file system may treat as equal, ignoring case and Unicode form.
    static func folded(_ string: String) -> String {
        // Upper case comes first, because it makes ß equal to SS, and ſ equal to s.
        isASCII(string) ? string.lowercased() : canonical(canonical(string).uppercased().lowercased())
    }

    private static func isASCII(_ string: String) -> Bool { string.utf8.allSatisfy { $0 < 0x80 } }
}
