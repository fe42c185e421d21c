// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The file `clean`, which exists while a store has nothing in progress. A kill at that time damages nothing.
///
/// The marker is removed when a store opens, and written when the store is closed or checkpointed. It needs no sync:
/// bytes are synced before they are referenced. A marker that a power failure restores is therefore still correct for
/// everything that is referenced.
///
/// The modification time of the marker is the store's ``era``. A marker without an explicit time has the time of its
/// creation, which no blob has. All blobs are then verified once more.
final class CleanMarker: Sendable {
    /// The time of the last clean end before this opening, in nanoseconds since 1970 by the clock of the file system;
    /// `nil` if the end was not clean. A file that changed after this time was changed by another program.
    var cleanSince: Int64? { state.withLock(\.cleanSince) }

    /// The identifier of the period since the store was first opened after its last unclean end: the time of that
    /// opening in nanoseconds since 1970.
    ///
    /// A file whose bytes were verified in this period has this value as its modification time. The value indicates to
    /// later sessions that the file was verified, until a write to the file replaces it. Values are only compared for
    /// equality. A change of the clock therefore does not make files of another period appear verified.
    var era: Int64 { state.withLock(\.era) }

    private let folder: PrivateFolder
    /// A Boolean value that indicates whether the store is read-only. If it is `true`, nothing is created or removed.
    private let isReadOnly: Bool
    private let state: Mutex<State>

    private static let name = "clean"

    /// Returns the current time in nanoseconds since 1970.
    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    private struct State {
        var cleanSince: Int64?
        var era: Int64
        var isThere = false
        /// The number of write operations in progress, including batches.
        var activities = 0
    }

    /// Reads the marker and removes it, unless the store is read-only.
    init(_ folder: PrivateFolder, isReadOnly: Bool = false) throws {
        self.folder = folder
        self.isReadOnly = isReadOnly
        let status = try folder.status(of: Self.name)
        state = Mutex(State(cleanSince: status?.changeTime, era: status?.modificationTime ?? Self.now()))
        if !isReadOnly { try folder.remove(Self.name) }
    }

    /// Records the start of an operation that may write. ``prepareToWrite()`` must be called before its first write.
    func begin() {
        state.withLock { $0.activities += 1 }
    }

    func end() {
        state.withLock { $0.activities -= 1 }
    }

    /// Removes the marker, if a checkpoint has written it.
    func prepareToWrite() throws {
        try state.withLock { state in
            guard state.isThere else { return }
            try folder.remove(Self.name)
            state.isThere = false
        }
    }

    /// Writes the marker, unless an operation is in progress.
    func put() throws {
        try state.withLock { state in
            guard state.activities == 0, !state.isThere, !isReadOnly else { return }
            // Does not follow a link that has replaced the name in the meantime.
            try folder.ownFile(Self.name, creates: true)?.setModificationTime(state.era)
            state.isThere = true
        }
    }

    /// Reads the marker again, because another store may have used the directory in the meantime.
    /// - Returns: `true` if that store ended uncleanly or found an unclean end, so that the era has changed.
    func reread() throws -> Bool {
        try state.withLock { state in
            let status = try folder.status(of: Self.name)
            let era = status?.modificationTime ?? (state.isThere ? Self.now() : state.era)
            state.isThere = status != nil
            guard era != state.era else { return false }
            (state.cleanSince, state.era) = (status?.changeTime, era)
            return true
        }
    }
}
