// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Synchronization

/// The file `clean`: there while a store has nothing under way, so that a kill at that time spoils nothing.
///
/// It is taken away when a store opens and put back when it closes or settles. It needs no sync of its own: bytes are
/// synced before they are named, so a marker that a power cut brings back says nothing false of what is named.
final class CleanMarker: Sendable {
    /// Whether the store was closed properly before it was opened this time, and when: nanoseconds since 1970, by the
    /// clock of the file system. Files that changed since then were changed by someone else.
    let cleanSince: Int64?

    private let path: String
    private let state = Mutex(State())

    private struct State {
        var isThere = false
        /// How many operations that write are under way, batches among them.
        var activities = 0
    }

    /// Reads the marker and takes it away.
    init(directory: String) throws {
        path = directory + "/clean"
        cleanSince = try FileSystem.status(of: path)?.changeTime
        try FileSystem.remove(path)
    }

    /// Says that something may write from now on. ``prepareToWrite()`` must come before its first write.
    func begin() {
        state.withLock { $0.activities += 1 }
    }

    func end() {
        state.withLock { $0.activities -= 1 }
    }

    /// Takes the marker away, where settling has put it back.
    func prepareToWrite() throws {
        try state.withLock { state in
            guard state.isThere else { return }
            try FileSystem.remove(path)
            state.isThere = false
        }
    }

    /// Puts the marker there, unless something may be writing.
    func put() throws {
        try state.withLock { state in
            guard state.activities == 0, !state.isThere else { return }
            try FileSystem.createEmpty(path)
            state.isThere = true
        }
    }
}
