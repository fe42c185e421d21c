// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceStore
internal import SystemSupport
internal import WebSyntax

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Where files on their way lie, noted in the container's folder before they do: what a process that was killed has left
/// is removed by the next one. A folder of the host's is never searched, as others may save there, too.
///
/// A file on its way lies in `.containerkit-<32 hexadecimal digits>.part`, and a file of these digits holds its path, and
/// behind the last NUL the name beside it that its ``NameReservation`` may have, in which these digits stand.
struct DownloadJournal: Sendable {
    private let folder: String
    /// What was noted before this one was made, by a process that is no more.
    let left: [String]

    /// More were never noted by a container.
    private static let countLimit = 1_024
    /// A path, and names beside it: in bytes.
    private static let entryLimit = 1 << 20

    /// - Parameter directory: the container's.
    init(directory: String) {
        folder = directory + "/downloads"
        // A link, or a folder of another user, has no notes of this container's.
        let names = (try? PrivateFolder.open(folder, followsLink: false)?.names()) ?? []
        left = Array(names.filter(Self.isToken).prefix(Self.countLimit))
    }

    /// Reads what was left, away from the caller.
    @concurrent
    static func open(directory: String) async -> DownloadJournal { DownloadJournal(directory: directory) }

    static func token() -> String { RandomToken.hex(byteCount: 16) }

    static func folderName(_ token: String) -> String { ".containerkit-\(token).part" }

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

    /// Notes that a placeholder beside the folder may have this name.
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
            // What is noted in part is none of this kind.
            try Array(text.utf8).withUnsafeBytes { try FileIO.write($0, to: descriptor) }
        } catch let error as SystemError {
            if flags != 0 { unlink(path) }
            throw DownloadError(system: error, at: path)
        }
    }

    /// Removes the note of a folder that is not there.
    func forget(_ token: String) {
        try? PrivateFolder.open(folder, followsLink: false)?.remove(token)
    }

    /// Removes all that was left.
    @concurrent
    func sweep() async {
        for token in left { sweep(token) }
    }

    /// Removes what one note is of, and then the note.
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

    /// Removes a folder, and then its note. That is kept where the folder cannot be removed: its volume is not there, or
    /// somebody still writes.
    /// - Parameter held: the name that its placeholder may have.
    func remove(_ token: String, _ work: String, held: String? = nil) {
        let name = Self.folderName(token)
        // Its folder may be one that everybody may write to, and nobody list.
        let place = String(work.dropLast(name.utf8.count))
        guard let parent = try? DirectoryDescriptor(path: place, access: .lookup) else { return }
        let folder = PartialDirectory(name, in: parent)
        if let held { folder.removeReservation(held, token) }
        if folder.remove() { forget(token) }
    }

    private static func isToken(_ name: String) -> Bool {
        name.utf8.count == 32 && name.utf8.allSatisfy(\.isLowercaseHexDigit)
    }
}
