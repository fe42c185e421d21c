// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The folder of a file on its way, by descriptors: whatever takes the place of its path meanwhile is not touched.
struct PartialDirectory {
    private let name: String
    private let parent: DirectoryDescriptor

    init(_ name: String, in parent: DirectoryDescriptor) {
        self.name = name
        self.parent = parent
    }

    /// An engine that does not know yet that nobody wants its bytes may put another file in it meanwhile.
    private static let attempts = 3

    /// Removes its files, and then itself. It has files, and no folders.
    /// - Returns: whether it is gone, or was none of that kind. What took its name is not followed.
    func remove() -> Bool {
        do {
            let directory = try parent.subdirectory(name)
            for _ in 0..<Self.attempts {
                directory.removeFiles()
                do {
                    try parent.removeDirectory(name)
                    return true
                } catch {
                    guard [ENOTEMPTY, EEXIST].contains(error.number) else { return false }
                }
            }
            return false
        } catch {
            return [ENOENT, ELOOP, ENOTDIR].contains(error.number)
        }
    }

    /// Removes the placeholder beside it, where there still is one.
    func removeReservation(_ held: String, _ text: String) {
        NameReservation.find(held, in: parent, text)?.remove()
    }
}
