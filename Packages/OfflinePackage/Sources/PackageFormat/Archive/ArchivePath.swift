// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport
internal import WebSyntax

/// The path of a file inside of a package: relative, with `/` between its parts, safe on every file system.
///
/// Held in Unicode's normal form C, whatever form it came in. No part is empty, `.` or `..`, and none is one of
/// these after compatibility mapping either (full-width dots and slashes); there are no backslashes, control
/// characters or drive letters; a part has at most 255 bytes, which is what file systems hold.
public struct ArchivePath: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let description: String

    /// Takes a path within the default limits.
    /// - Throws: ``PackageError`` with code `unsafePath` or
    ///   `tooLarge`.
    public init(_ string: String) throws {
        try self.init(string, limits: .default)
    }

    /// Takes a path within ``ArchiveLimits/maxPathBytes`` and ``ArchiveLimits/maxDepth``.
    /// - Throws: ``PackageError`` with code `unsafePath` or
    ///   `tooLarge`.
    public init(_ string: String, limits: ArchiveLimits) throws {
        func refuse(_ reason: String, _ code: PackageError.Code = .unsafePath) -> PackageError {
            PackageError(code, reason, at: string.printable(limit: 200))
        }
        // Before anything is computed from it. Normal form C has at most three times the bytes.
        guard string.utf8.count <= limits.maxPathBytes else {
            throw refuse("name of more than \(limits.maxPathBytes) bytes", .tooLarge)
        }
        let path = UnicodeForm.canonical(string)
        guard path.utf8.count <= limits.maxPathBytes else {
            throw refuse("name of more than \(limits.maxPathBytes) bytes", .tooLarge)
        }
        let isASCII = path.utf8.allSatisfy { $0 < 0x80 }
        let hasControl =
            isASCII
            ? path.utf8.contains { $0 < 0x20 || $0 == 0x7F }
            : path.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !hasControl else {
            throw refuse("control character in a name")
        }
        guard !path.utf8.contains(UInt8(ascii: "\\")) else { throw refuse("backslash in a name") }
        guard !Self.isAbsolute(path) else { throw refuse("absolute name") }
        var depth = 0
        for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            depth += 1
            guard !part.isEmpty else { throw refuse("empty part in a name") }
            guard part.count <= 255 else { throw refuse("part of more than 255 bytes in a name", .tooLarge) }
            guard !Self.isDots(Substring(part)) else { throw refuse("dot part in a name") }
        }
        guard depth <= limits.maxDepth else { throw refuse("name of more than \(limits.maxDepth) parts", .tooLarge) }
        if !isASCII {
            // Full-width dots, slashes and colons become plain ones on some ways through other systems.
            let mapped = UnicodeForm.compatible(path)
            let parts = mapped.split(whereSeparator: { $0 == "/" || $0 == "\\" })
            guard !Self.isAbsolute(mapped), !mapped.hasPrefix("\\"), !parts.contains(where: Self.isDots) else {
                throw refuse("name that maps to an unsafe one")
            }
        }
        description = path
    }

    /// The parts, the file's own name last.
    public var parts: [Substring] { description.split(separator: "/") }

    /// Holds a path to narrower limits than it was made with.
    /// - Throws: ``PackageError`` with code `tooLarge`.
    func check(_ limits: ArchiveLimits) throws {
        guard description.utf8.count <= limits.maxPathBytes else {
            throw PackageError(.tooLarge, "name of more than \(limits.maxPathBytes) bytes", at: description)
        }
        guard description.utf8.count(where: { $0 == UInt8(ascii: "/") }) < limits.maxDepth else {
            throw PackageError(.tooLarge, "name of more than \(limits.maxDepth) parts", at: description)
        }
    }

    /// Orders by Unicode scalars, which is the order of the UTF-8 bytes too.
    public static func < (left: Self, right: Self) -> Bool { left.description < right.description }

    /// Leading slash, or drive letter.
    private static func isAbsolute(_ path: String) -> Bool {
        if path.utf8.first == UInt8(ascii: "/") { return true }
        let start = Array(path.utf8.prefix(2))
        guard start.count == 2, start[1] == UInt8(ascii: ":") else { return false }
        return start[0].isASCIILetter
    }

    private static func isDots(_ part: Substring) -> Bool { part == "." || part == ".." }
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

/// Unicode's normal forms.
enum UnicodeForm {
    /// Normal form C.
    static func canonical(_ string: String) -> String {
        isASCII(string) ? string : string.precomposedStringWithCanonicalMapping
    }

    /// Normal form KC.
    static func compatible(_ string: String) -> String {
        isASCII(string) ? string : string.precomposedStringWithCompatibilityMapping
    }

    /// One key for all names that some file system takes for the same: without regard to case and form.
    static func folded(_ string: String) -> String {
        // Upper case first: it is what brings ß and SS, ſ and s, together.
        isASCII(string) ? string.lowercased() : canonical(canonical(string).uppercased().lowercased())
    }

    private static func isASCII(_ string: String) -> Bool { string.utf8.allSatisfy { $0 < 0x80 } }
}
