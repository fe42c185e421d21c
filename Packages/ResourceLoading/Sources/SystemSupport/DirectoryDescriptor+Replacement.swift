// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension DirectoryDescriptor {
    /// The last completed step of ``replaceFile(_:with:mode:isDurable:step:)``, for tests that interrupt the
    /// replacement.
    public enum ReplacementStep: Sendable, CaseIterable {
        /// The temporary file exists.
        case created
        /// The temporary file has the first half of the bytes.
        case halfWritten
        /// The temporary file has all bytes.
        case written
        /// The content is on the device.
        case synced
        /// The temporary file has the final name.
        case renamed
        /// The new name is on the device.
        case directorySynced
    }

    /// Returns the temporary name of a file during its replacement.
    public static func temporaryName(of name: String) -> String { name + ".new" }

    /// Replaces a file atomically, or creates it.
    ///
    /// If the process is killed, the old or the new file remains. A temporary file may remain too; the next
    /// replacement removes it. Only one writer at a time is allowed.
    /// - Parameters:
    ///   - name: the name of the file in this directory.
    ///   - bytes: the new content of the file.
    ///   - mode: the permissions of the file. Default: 0600.
    ///   - isDurable: a Boolean value that indicates whether the content and the name are on the device when this
    ///     method returns. If it is `false`, a power failure may lose the new file.
    ///   - step: a closure that is called after each step. If the closure throws, the replacement ends at that step, as
    ///     after a kill.
    /// - Throws: ``SystemError``, or the error of `step`. After a ``SystemError`` the old file remains. If only the
    ///   last sync fails, the new file is in place.
    public func replaceFile(
        _ name: String, with bytes: UnsafeRawBufferPointer, mode: UInt32 = 0o600, isDurable: Bool,
        step: (ReplacementStep) throws -> Void = { _ in }
    ) throws {
        let temporary = Self.temporaryName(of: name)
        // The name may refer to a file of an interrupted replacement or to a symbolic link. Only the name is removed,
        // never the target of a link.
        try remove(temporary)
        let file = try openFile(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
        var isOpen = true
        do {
            defer { if isOpen { close(file) } }
            // The file mode creation mask may have removed permissions. Some file systems have no modes.
            if fchmod(file, mode_t(mode)) != 0 {
                let error = SystemError("fchmod", at: location(of: temporary))
                guard error.number == EPERM || error.number == ENOTSUP || error.number == ENOSYS else { throw error }
            }
            try step(.created)
            let half = bytes.count / 2
            try FileIO.write(UnsafeRawBufferPointer(rebasing: bytes[..<half]), to: file)
            try step(.halfWritten)
            try FileIO.write(UnsafeRawBufferPointer(rebasing: bytes[half...]), to: file)
            try step(.written)
            if isDurable { try FileIO.sync(file) }
            try step(.synced)
            isOpen = false
            // `close` reports errors of delayed writes.
            guard close(file) == 0 else { throw SystemError("close", at: location(of: temporary)) }
            try rename(temporary, to: self, name)
        } catch let error as SystemError {
            try? remove(temporary)
            throw SystemError(error.call, number: error.number, at: error.path ?? location(of: temporary))
        }
        try step(.renamed)
        if isDurable { try sync() }
        try step(.directorySynced)
    }
}
