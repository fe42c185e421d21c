// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Facade) internal import ResourceStore
internal import SystemSupport
internal import WebSyntax

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The journal of partial files, in the container's folder.
///
/// An entry is written before the partial file, so that the next process removes the files of a process that was
/// killed. Folders of the app are never searched, because other programs may save files there.
///
/// A partial file is in the folder `.containerkit-<token>.part`; the token has 32 hexadecimal digits. The entry is a
/// file whose name is the token. It contains the path of the folder. After the last NUL, it contains the name of a
/// possible ``NameReservation`` next to the folder, whose content is the token.
struct DownloadJournal: Sendable {
    private let folder: String
    /// The tokens of entries from earlier processes.
    let left: [String]

    /// The maximum number of entries that are swept.
    private static let countLimit = 1_024
    /// The maximum length of an entry, in bytes.
    private static let entryLimit = 1 << 20

    /// Opens the journal.
    /// - Parameter directory: the container's folder.
    init(directory: String) {
        folder = directory + "/downloads"
        // A symbolic link, or a folder of another user, contains no entries of this container.
        let names = (try? PrivateFolder.open(folder, followsLink: false)?.names()) ?? []
        left = Array(names.filter(Self.isToken).prefix(Self.countLimit))
    }

    /// Opens the journal outside the caller's actor.
    @concurrent
    static func open(directory: String) async -> DownloadJournal { DownloadJournal(directory: directory) }

    /// Returns a new token.
    static func token() -> String { RandomToken.hex(byteCount: 16) }

    /// Returns the name of the folder of a partial file.
    static func folderName(_ token: String) -> String { ".containerkit-\(token).part" }

    /// Adds an entry for the folder of a partial file.
    /// - Throws: ``DownloadError``.
    func add(_ token: String, _ work: String) throws {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw DownloadError(system: SystemError("mkdir", at: folder))
        }
        do {
            _ = try PrivateFolder.open(folder, followsLink: false)
        } catch {
            throw DownloadError(.io, "\(error)", at: folder)
        }
        try append(work, to: token, creating: O_CREAT | O_EXCL)
    }

    /// Records the name that a reservation next to the folder may have.
    /// - Throws: ``DownloadError``.
    func hold(_ name: String, for token: String) throws {
        try append("\0" + name, to: token)
    }

    private func append(_ text: String, to token: String, creating flags: CInt = 0) throws {
        let path = "\(folder)/\(token)"
        let descriptor = try SystemError.mapping {
            try FileIO.open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | flags, mode: 0o600)
        } to: {
            DownloadError(system: $0)
        }
        defer { close(descriptor) }
        do {
            // An incomplete entry does no harm: the sweep verifies its content.
            try Array(text.utf8).withUnsafeBytes { try FileIO.write($0, to: descriptor) }
        } catch let error as SystemError {
            if flags != 0 { unlink(path) }
            throw DownloadError(system: error, at: path)
        }
    }

    /// Removes the entry of a folder that does not exist.
    func remove(_ token: String) {
        try? PrivateFolder.open(folder, followsLink: false)?.remove(token)
    }

    /// Removes the partial files of earlier processes.
    @concurrent
    func sweep() async {
        for token in left { sweep(token) }
    }

    /// Removes the partial file of an entry, and then the entry.
    func sweep(_ token: String) {
        guard let notes = try? PrivateFolder.open(folder, followsLink: false),
            let data = try? notes.contents(of: token, upTo: Self.entryLimit)
        else { return }
        let parts = data.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let name = Self.folderName(token)
        guard let work = parts.first, work.hasPrefix("/"), work.hasSuffix("/" + name) else {
            try? notes.remove(token)
            return
        }
        remove(token, work, held: parts.dropFirst().last)
    }

    /// Removes a folder, and then its entry. The entry remains if the folder cannot be removed, because its volume is
    /// not mounted or an engine still writes to it.
    /// - Parameters:
    ///   - token: the token of the entry.
    ///   - work: the path of the folder.
    ///   - held: the name that the reservation may have.
    func remove(_ token: String, _ work: String, held: String? = nil) {
        let name = Self.folderName(token)
        // The parent folder may be searchable but not readable.
        let place = String(work.dropLast(name.utf8.count))
        guard let parent = try? DirectoryDescriptor(path: place, access: .lookup) else { return }
        let folder = PartialDirectory(name, in: parent)
        if let held { folder.removeReservation(held, token) }
        if folder.remove() { remove(token) }
    }

    private static func isToken(_ name: String) -> Bool {
        name.utf8.count == 32 && name.utf8.allSatisfy(\.isLowercaseHexDigit)
    }
}

/// The folder of a partial file, addressed by file descriptors. A file that replaces the folder at its path is
/// therefore not removed.
struct PartialDirectory {
    private let name: String
    private let parent: DirectoryDescriptor

    init(_ name: String, in parent: DirectoryDescriptor) {
        self.name = name
        self.parent = parent
    }

    /// The maximum number of attempts. An engine that is being cancelled may create a file between two steps.
    private static let attempts = 3

    /// Removes the files in the folder, and then the folder. Does not follow symbolic links.
    /// - Returns: `true` if the folder no longer exists, or if its name belongs to a file or a symbolic link.
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

    /// Removes the reservation next to the folder, if there is one.
    func removeReservation(_ held: String, _ text: String) {
        NameReservation.find(held, in: parent, text)?.remove()
    }
}
