// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The destination of a file, chosen by the app.
struct DownloadPlace: Sendable, Hashable {
    let folder: String
    let name: String
    let overwrites: Bool

    /// Creates a destination from the decision of the app.
    /// - Throws: ``DownloadError`` with code `destination` if the path is invalid, or `cancelled` if the app
    ///   declined.
    init(_ decision: DownloadDecision, suggested: String) throws {
        switch decision {
        case .cancel: throw DownloadError(.cancelled, "the app declined the download")
        case .save(let folder): self = DownloadPlace(folder: folder, name: suggested, overwrites: false)
        case .saveAs(let path, let overwrites):
            // Split by bytes, because the file system compares names by bytes.
            let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
            self = DownloadPlace(
                folder: String(decoding: path.utf8[..<start], as: UTF8.self),
                name: String(decoding: path.utf8[start...], as: UTF8.self), overwrites: overwrites)
        }
        guard folder.hasPrefix("/"), !folder.utf8.contains(0), !name.utf8.contains(0), ![".", "..", ""].contains(name),
            !name.utf8.contains(UInt8(ascii: "/"))
        else { throw DownloadError(.destination, "not the absolute path of a folder or file", at: folder + name) }
    }

    private init(folder: String, name: String, overwrites: Bool) {
        self.folder = folder
        self.name = name
        self.overwrites = overwrites
    }

    func path(_ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}

/// A partial file, which is renamed to its destination when it is complete.
///
/// Before the rename, it is in a folder of its own next to the destination, on the same file system. Only the owner can
/// read the folder.
struct DownloadFile: Sendable {
    let place: DownloadPlace
    let work: String
    private let journal: DownloadJournal
    let token: String
    private let namings: [DownloadNaming]

    /// The path of the partial file.
    var path: String { "\(work)/\(Self.dataName)" }
    static let dataName = "data"

    /// Creates the folder of the partial file.
    /// - Parameters:
    ///   - place: the destination of the complete file.
    ///   - journal: the journal, to which an entry is added first.
    ///   - namings: the methods of giving the file its name, in the order of the attempts.
    /// - Throws: ``DownloadError``.
    @concurrent
    static func make(
        at place: DownloadPlace, journal: DownloadJournal, namings: [DownloadNaming] = DownloadNaming.allCases
    ) async throws -> DownloadFile {
        let token = DownloadJournal.token()
        let work = place.path(DownloadJournal.folderName(token))
        try journal.add(token, work)
        guard mkdir(work, 0o700) == 0 else {
            let error = DownloadError(system: SystemError("mkdir", at: place.folder))
            journal.remove(token)
            throw error.code == .noSpace ? error : DownloadError(.destination, error.message, at: place.folder)
        }
        return DownloadFile(place: place, work: work, journal: journal, token: token, namings: namings)
    }

    /// Writes a body to the partial file.
    /// - Parameters:
    ///   - body: the content of the file.
    ///   - limit: the maximum number of bytes.
    ///   - progress: a closure that receives the number of bytes so far, on any thread. It may throw an error to end
    ///     the download.
    /// - Throws: ``DownloadError``, or an error of the body or of `progress`.
    @concurrent
    func write(_ body: ResourceBody, limit: Int64, progress: @Sendable (Int64) throws -> Void) async throws {
        let descriptor = try SystemError.mapping {
            try FileIO.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        } to: {
            DownloadError(system: $0)
        }
        defer { close(descriptor) }
        var received: Int64 = 0
        func put(_ data: Data) throws {
            try Task.checkCancellation()
            received += Int64(data.count)
            guard received <= limit else { throw DownloadError(.tooLarge, "more than \(limit) bytes", at: place.name) }
            try write(data, to: descriptor)
            try progress(received)
        }
        switch body {
        case .empty: break
        case .bytes(let data): try put(data)
        case .file(let slice):
            var offset = 0
            while offset < slice.range.count {
                let count = min(Self.pieceSize, slice.range.count - offset)
                try put(slice.read(at: offset, count: count))
                offset += count
            }
        case .stream(let stream): for try await data in stream { try put(data) }
        }
        if let length = body.length, length != received {
            throw DownloadError(.loadFailed, "\(received) of \(length) bytes arrived", at: place.name)
        }
    }

    private static let pieceSize = 1 << 18

    private func write(_ data: Data, to descriptor: CInt) throws {
        try SystemError.mapping {
            try data.withUnsafeBytes { try FileIO.write($0, to: descriptor) }
        } to: {
            DownloadError(system: $0, at: path)
        }
    }

    /// Synchronizes the complete file with the disk, and then moves it to its destination.
    /// - Returns: the path and the number of bytes of the file.
    /// - Throws: ``DownloadError``; the caller must then call ``discard()``.
    @concurrent
    func finish(limit: Int64) async throws -> (path: String, bytes: Int64) {
        let descriptor = try SystemError.mapping {
            try FileIO.open(path, O_RDONLY | O_NOFOLLOW)
        } to: {
            DownloadError(system: $0)
        }
        defer { close(descriptor) }
        let bytes = Int64(lseek(descriptor, 0, SEEK_END))
        guard bytes <= limit else { throw DownloadError(.tooLarge, "more than \(limit) bytes", at: place.name) }
        guard fchmod(descriptor, 0o600) == 0 else { throw DownloadError(system: SystemError("fchmod", at: path)) }
        try SystemError.mapping {
            try FileIO.sync(descriptor)
        } to: {
            DownloadError(system: $0, at: path)
        }
        let name = try place.overwrites ? replace() : applyName()
        await discard()
        // Some file systems cannot synchronize a folder. The error is ignored, because the file already has its name.
        try? DirectoryDescriptor(path: place.folder).sync()
        return (place.path(name), bytes)
    }

    /// Removes the folder of the partial file. The journal entry remains if the folder cannot be removed, because the
    /// engine still writes to it.
    ///
    /// A ``NameReservation`` is not removed here, because a failed naming has already removed it.
    @concurrent
    func discard() async {
        journal.remove(token, work)
    }

    private func hold(_ name: String) throws -> String {
        try journal.hold(name, for: token)
        return token
    }

    private func replace() throws -> String {
        try SystemError.mapping {
            try FileSystem.rename(path, to: place.path(place.name))
        } to: {
            DownloadError(system: $0)
        }
        return place.name
    }

    /// The maximum number of names that are tried.
    private static let nameLimit = 10_000

    private func applyName() throws -> String {
        var namings = namings
        for number in 0..<Self.nameLimit {
            let name = number == 0 ? place.name : SafeFileName.numbered(place.name, number)
            let target = place.path(name)
            while let naming = namings.first {
                switch try naming.move(path, to: target, entry: { try hold(name) }) {
                case .done: return name
                case .cannot:
                    namings.removeFirst()
                    continue
                case .isTaken: break
                }
                break
            }
            guard !namings.isEmpty else { throw DownloadError(.io, "cannot name the file", at: target) }
        }
        throw DownloadError(.destination, "all names are in use", at: place.path(place.name))
    }
}
