// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation

/// A file that persists the cookies of a jar, except session cookies.
///
/// Changes are collected and written on a separate thread; ``flush()`` waits for the write. Flushed cookies survive a
/// kill and a power failure, because the file is replaced as a whole and synchronized together with its folder. Its
/// mode is 0600, and symbolic links are not followed. The time of last access is written only together with the next
/// change. Only one process may use the file at a time.
public final class CookieFile: Sendable {
    /// The path of the file.
    public var path: String { file.path }

    private let file: AtomicFile
    private let options: Options
    private let queue = SerialQueue("CookieFile", priority: .inherited)
    private let state = Mutex(State())

    private struct State {
        var jar: CookieStore?
        var observation: CookieObservation?
        /// The version of the jar whose cookies are in the file.
        var saved: UInt64?
        /// The cookies read from the file, until a jar is followed.
        var loaded: [Cookie]?
        var isScheduled = false
    }

    /// Creates a cookie file at a path, without reading or writing.
    public convenience init(path: String, options: Options = Options()) {
        self.init(path: path, options: options) { _ in }
    }

    init(path: String, options: Options, step: @escaping @Sendable (AtomicFile.Step) throws -> Void) {
        file = AtomicFile(path: path, step: step)
        self.options = options
    }

    deinit {
        state.withLock { $0.observation }?.cancel()
    }

    /// Reads all cookies on the calling thread. An unreadable file is moved aside, which the result reports.
    /// - Throws: ``CookieFileError`` if the file system fails, or if the path is not a regular file.
    public func load() throws(CookieFileError) -> Contents {
        state.withLock { $0.loaded = nil }
        guard let (bytes, isTooLarge) = try file.read(upTo: options.maxBytes) else {
            state.withLock { $0.loaded = [] }
            return Contents(cookies: [], refused: 0, damage: nil)
        }
        if isTooLarge { return try setAside(.tooLarge) }
        let decoder = JSONDecoder()
        guard let format = try? decoder.decode(CookieDocument.Format.self, from: bytes).format else {
            return try setAside(.unreadable)
        }
        guard format <= CookieDocument.currentFormat else { return try setAside(.newerFormat) }
        guard format == CookieDocument.currentFormat,
            let document = try? decoder.decode(CookieDocument.self, from: bytes)
        else { return try setAside(.unreadable) }
        let cookies = document.cookies.compactMap(\.cookie)
        if cookies.count == document.cookies.count { state.withLock { $0.loaded = cookies } }
        return Contents(cookies: cookies, refused: document.cookies.count - cookies.count, damage: nil)
    }

    /// Writes the cookies of a jar to the file after each change. Its current cookies are also written, unless
    /// ``load()`` has just returned the same cookies. The jar replaces a jar that was followed before.
    public func follow(_ jar: CookieStore) {
        let observation = jar.observe { [weak self] change in
            if change.cookie?.expires != nil || change.previous?.expires != nil { self?.schedule() }
        }
        let snapshot = jar.snapshot
        let (old, isSaved) = state.withLock { state in
            let isSaved = state.loaded == snapshot.persistent
            defer {
                state.loaded = nil
                (state.jar, state.observation, state.saved) = (jar, observation, isSaved ? snapshot.version : nil)
            }
            return (state.observation, isSaved)
        }
        old?.cancel()
        if !isSaved { schedule() }
    }

    /// Writes all earlier changes to the file, so that they survive a kill and a power failure.
    /// - Throws: ``CookieFileError``; the old file then remains.
    public func flush() async throws {
        try await queue.run { try self.save() }
    }

    /// Schedules a write after the delay, together with all changes until then.
    private func schedule() {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        // The closure retains `self` until the write is done.
        queue.enqueue(after: options.delay) {
            self.state.withLock { $0.isScheduled = false }
            do {
                try self.save()
            } catch {
                self.options.onFailure(error)
            }
        }
    }

    /// Writes the cookies if they changed. It runs on the queue only.
    private func save() throws {
        let (jar, saved) = state.withLock { ($0.jar, $0.saved) }
        guard let jar else { return }
        let snapshot = jar.snapshot
        guard snapshot.version != saved else { return }
        let bytes = try JSONEncoder().encode(CookieDocument(snapshot.persistent))
        guard bytes.count <= options.maxBytes else {
            throw CookieFileError(
                .tooLarge, "the cookies have \(bytes.count) bytes, more than \(options.maxBytes)", at: path)
        }
        try file.replace(with: bytes)
        state.withLock { if $0.jar === jar { $0.saved = snapshot.version } }
    }

    private func setAside(_ reason: Damage.Reason) throws(CookieFileError) -> Contents {
        try file.setAside()
        return Contents(cookies: [], refused: 0, damage: Damage(reason: reason, path: file.damagedPath))
    }
}

extension CookieFile {
    /// The options of a cookie file.
    public struct Options: Sendable {
        /// The time for which changes are collected before they are written together; 1 second by default.
        public var delay: Duration = .seconds(1)
        /// The maximum size of the file in bytes, for reads and writes; 64 MiB by default. The file of a jar with the
        /// default limits is smaller.
        public var maxBytes = 64 << 20
        /// A closure that receives the error of each failed write that no call of ``CookieFile/flush()`` waits for. It
        /// is called on the thread of the file. The next change causes another attempt.
        public var onFailure: @Sendable (any Error) -> Void = { _ in }

        /// Creates the default options.
        public init() {}
    }
}

extension CookieFile {
    /// The contents of a file.
    public struct Contents: Sendable, Hashable {
        /// The cookies, including expired ones.
        public let cookies: [Cookie]
        /// The number of further entries that no jar would have written.
        public let refused: Int
        /// The reason why the file could not be read, and its new path; `nil` if it was read or does not exist.
        public let damage: Damage?
    }

    /// Damage that makes a file unreadable as a whole. No cookie of the file was loaded.
    public struct Damage: Sendable, Hashable {
        /// The kind of damage. Later versions may add kinds.
        public struct Reason: Sendable, Hashable, CustomStringConvertible {
            public let description: String

            init(_ description: String) {
                self.description = description
            }

            /// The bytes are not cookies: truncated or altered.
            public static let unreadable = Reason("unreadable")
            /// A later version of this library has written the file.
            public static let newerFormat = Reason("newer-format")
            /// The file has more bytes than the limit.
            public static let tooLarge = Reason("too-large")
        }

        /// The kind of damage.
        public let reason: Reason
        /// The path to which the file was moved. The next damaged file replaces it.
        public let path: String
    }
}
