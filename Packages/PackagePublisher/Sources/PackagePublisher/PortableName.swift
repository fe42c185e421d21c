// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat

/// The rules of Windows for the names of files and folders.
///
/// A package with other names is valid, and the container serves its files. It cannot be unpacked on Windows. Names
/// that collide on other systems are errors of the package format.
enum PortableName {
    /// The names of devices, also with an extension.
    private static let devices: Set<String> = {
        let numbers = (0...9).map(String.init) + ["\u{B9}", "\u{B2}", "\u{B3}"]
        return Set(["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"] + numbers.flatMap { ["COM\($0)", "LPT\($0)"] })
    }()

    /// Returns the reason for which Windows cannot store a path, or `nil`.
    static func problem(of path: ArchivePath) -> String? {
        path.parts.lazy.compactMap(problem).first
    }

    private static func problem(of name: Substring) -> String? {
        if name.utf8.contains(UInt8(ascii: ":")) { return "a colon names a stream on Windows" }
        if name.utf8.contains(where: { "<>\"|?*".utf8.contains($0) }) {
            return "Windows has no names with < > \" | ? *"
        }
        if name.utf8.last == UInt8(ascii: ".") || name.utf8.last == UInt8(ascii: " ") {
            return "Windows removes dots and spaces at the end of a name"
        }
        let stem = name.unicodeScalars.prefix { $0 != "." }
        let trimmed = String(stem.reversed().drop { $0 == " " }.reversed().map(Character.init)).uppercased()
        return devices.contains(trimmed) ? "the name of a device on Windows" : nil
    }
}
