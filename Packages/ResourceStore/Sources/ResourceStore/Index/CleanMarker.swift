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

/// The file `clean`: there while a store has nothing under way, so that a kill at that time spoils nothing.
///
/// It is taken away when a store opens and put back when it closes or settles. It needs no sync of its own: bytes are
/// synced before they are named, so a marker that a power cut brings back says nothing false of what is named.
///
/// Its time of modification is the store's ``era``. A marker that nobody gave one has the time at which it was made,
/// which is that of no blob: then all are checked once more.
final class CleanMarker: Sendable {
    /// Whether the store was closed properly before it was opened this time, and when: nanoseconds since 1970, by the
    /// clock of the file system. Files that changed since then were changed by someone else.
    var cleanSince: Int64? { state.withLock(\.cleanSince) }

    /// Names the time since the store was last opened after an unclean end: when that was, in nanoseconds since 1970.
    ///
    /// A file whose bytes were seen to be right since then has it as its time of modification. So it is known across
    /// sessions which were not looked at yet, and whoever writes to a file takes it away. It is only ever compared for
    /// being the same: a clock that is set back or forth makes none of another era look right.
    var era: Int64 { state.withLock(\.era) }

    private let folder: PrivateFolder
    /// Whether the store is only read, so that nothing is made or removed.
    private let isReadOnly: Bool
    private let state: Mutex<State>

    private static let name = "clean"

    /// The time: nanoseconds since 1970.
    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    private struct State {
        var cleanSince: Int64?
        var era: Int64
        var isThere = false
        /// How many operations that write are under way, batches among them.
        var activities = 0
    }

    /// Reads the marker and takes it away, unless the store is only read.
    init(_ folder: PrivateFolder, isReadOnly: Bool = false) throws {
        self.folder = folder
        self.isReadOnly = isReadOnly
        let status = try folder.status(of: Self.name)
        state = Mutex(State(cleanSince: status?.changeTime, era: status?.modificationTime ?? Self.now()))
        if !isReadOnly { try folder.remove(Self.name) }
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
            try folder.remove(Self.name)
            state.isThere = false
        }
    }

    /// Puts the marker there, unless something may be writing.
    func put() throws {
        try state.withLock { state in
            guard state.activities == 0, !state.isThere, !isReadOnly else { return }
            // Not through a link that took the name meanwhile.
            try folder.ownFile(Self.name, creates: true)?.setModificationTime(state.era)
            state.isThere = true
        }
    }

    /// Looks at it again, where another store may have had the directory meanwhile.
    /// - Returns: whether that one had an unclean end, its own or one before: then the era is another.
    func lookAgain() throws -> Bool {
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
