// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The folder of a file on its way, by descriptors: whatever takes the place of its path meanwhile is not touched.
struct PartialDirectory {
    /// The folder that a file is to be in.
    final class Parent {
        fileprivate let descriptor: CInt

        /// `nil` where it cannot be reached.
        init?(_ path: String) {
            #if os(Linux)
                // Not to be read: it may be one that everybody may write to, and nobody list.
                descriptor = SystemFile.open(path, SystemFile.placeOnly | O_DIRECTORY | O_CLOEXEC)
            #else
                descriptor = SystemFile.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            #endif
            guard descriptor >= 0 else { return nil }
        }

        deinit {
            if descriptor >= 0 { close(descriptor) }
        }
    }

    private let name: String
    private let parent: Parent

    init(_ name: String, in parent: Parent) {
        self.name = name
        self.parent = parent
    }

    /// An engine that does not know yet that nobody wants its bytes may put another file in it meanwhile.
    private static let attempts = 3

    /// Removes its files, and then itself. It has files, and no folders.
    /// - Returns: whether it is gone, or was none of that kind. What took its name is not followed.
    func remove() -> Bool {
        let descriptor = openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return [ENOENT, ELOOP, ENOTDIR].contains(errno) }
        guard let listing = fdopendir(descriptor) else {
            close(descriptor)
            return false
        }
        defer { closedir(listing) }
        for _ in 0..<Self.attempts {
            rewinddir(listing)
            while let entry = readdir(listing) {
                // Its bytes, which need not be UTF-8.
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 2) { name in
                        guard strcmp(name, ".") != 0, strcmp(name, "..") != 0 else { return }
                        unlinkat(descriptor, name, 0)
                    }
                }
            }
            if unlinkat(parent.descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT { return true }
            guard [ENOTEMPTY, EEXIST].contains(errno) else { return false }
        }
        return false
    }

    /// Removes the placeholder beside it, where there still is one.
    func removePlaceholder(_ held: String, _ text: String) {
        NameReservation.find(held, in: parent.descriptor, text)?.remove()
    }
}
