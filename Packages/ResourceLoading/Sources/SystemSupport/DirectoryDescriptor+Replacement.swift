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
    /// A step of ``replaceFile(_:with:isDurable:step:)``, for tests that stop there.
    public enum ReplacementStep: Sendable, CaseIterable {
        /// The temporary file exists.
        case created
        /// The temporary file has the first half of the bytes.
        case halfWritten
        /// The temporary file has all bytes.
        case written
        /// The bytes are on the device.
        case synced
        /// The temporary file has the final name.
        case renamed
        /// The name is on the device.
        case directorySynced
    }

    /// Returns the temporary name of a file that is being replaced.
    public static func temporaryName(of name: String) -> String { name + ".new" }

    /// Replaces a file as a whole, or creates it, with mode 0600.
    ///
    /// A process that is killed leaves the old file or the new one, and perhaps a file of the temporary name, which the next
    /// replacement removes. One writer at a time.
    /// - Parameters:
    ///   - name: the name of the file in this directory.
    ///   - bytes: the new content of the file.
    ///   - isDurable: whether the new bytes and the name are on the device when this returns. If not, a power cut may lose
    ///     the new file.
    ///   - step: is called after each step. An error that it throws ends the replacement there, as a kill would.
    /// - Throws: ``SystemError``, in which case the old file remains, except after an error of the last sync, when the new
    ///   file is in place; or the error of `step`.
    public func replaceFile(
        _ name: String, with bytes: UnsafeRawBufferPointer, isDurable: Bool,
        step: (ReplacementStep) throws -> Void = { _ in }
    ) throws {
        let temporary = Self.temporaryName(of: name)
        // Left by a kill, or a link that leads elsewhere: the name is removed, never what it leads to.
        try remove(temporary)
        let file = try openFile(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        var isOpen = true
        do {
            defer { if isOpen { close(file) } }
            // The process's mask may have removed permissions. Some file systems have no modes.
            if fchmod(file, 0o600) != 0 {
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
            // An error of a delayed write.
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
