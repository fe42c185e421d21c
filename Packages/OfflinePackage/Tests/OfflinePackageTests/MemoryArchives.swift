// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
@_spi(Packaging) import PackageFormat

/// A reader of archives that are lists of files in memory.
final class MemoryArchives: ArchiveReading {
    struct File: Sendable {
        var path: String
        var content: Data
        /// The size that the entry declares, or `nil` if it declares none.
        var announced: Int64?

        init(_ path: String, _ content: String, announced: Int64? = nil) {
            self.path = path
            self.content = Data(content.utf8)
            self.announced = announced
        }
    }

    private struct State {
        var archives: [String: [File]] = [:]
        var reads = 0
        var onChunk: (@Sendable () throws -> Void)?
    }

    private let state = Mutex(State())

    /// The number of archives that were read, completely or partly.
    var reads: Int { state.withLock { $0.reads } }

    func add(_ name: String, _ files: [File]) {
        state.withLock { $0.archives[name] = files }
    }

    /// Sets a closure that is called before each chunk is returned.
    func onChunk(_ body: (@Sendable () throws -> Void)?) {
        state.withLock { $0.onChunk = body }
    }

    func read(
        _ archive: String, limits: ArchiveLimits,
        visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws {
        let (files, onChunk) = state.withLock { state in
            state.reads += 1
            return (state.archives[archive], state.onChunk)
        }
        guard let files else { throw PackageError(.noInput, "the archive does not exist", at: archive) }
        for file in files {
            var reader: any ArchiveEntryReading = Reader(rest: file.content, onChunk: onChunk)
            try visit(ArchiveEntry(path: ArchivePath(file.path), size: file.announced), &reader)
        }
    }

    private struct Reader: ArchiveEntryReading {
        var rest: Data
        let onChunk: (@Sendable () throws -> Void)?

        mutating func next() throws -> Data? {
            guard !rest.isEmpty else { return nil }
            try onChunk?()
            defer { rest = rest.dropFirst(4) }
            return rest.prefix(4)
        }
    }
}
