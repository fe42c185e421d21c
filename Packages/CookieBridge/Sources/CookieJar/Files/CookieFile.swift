// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation

/// Keeps a jar's cookies in a file.
///
/// Changes are gathered, and written on a thread of its own; ``flush()`` waits for that. What was flushed outlives a kill
/// and a power cut: the file is replaced as a whole, and synchronised with its folder. It is of mode 0600, and no symbolic
/// link is followed. When a cookie was last used is written along with the next change only. One process at a time.
public final class CookieFile: Sendable {
    /// Where it lies.
    public var path: String { file.path }

    private let file: AtomicFile
    private let options: Options
    private let queue = SerialQueue("CookieFile", priority: .inherited)
    private let state = Mutex(State())

    private struct State {
        var jar: CookieStore?
        var observation: CookieObservation?
        /// The jar's version that lies in the file.
        var saved: UInt64?
        /// What was read from the file, before a jar was followed.
        var loaded: [Cookie]?
        var isScheduled = false
    }

    /// Names a file; nothing is read or written yet.
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

    /// Reads all cookies, on the caller's thread. A file that cannot be read as a whole is set aside, and the contents say
    /// so.
    /// - Throws: ``CookieFileError`` where the file system refuses, or something else is in the file's place.
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

    /// Writes the jar's cookies from now on, those that it holds already included, unless they are what was just read. Another
    /// jar takes its place.
    public func follow(_ jar: CookieStore) {
        let keepsAll = options.keepsSessionCookies
        let observation = jar.observe { [weak self] change in
            if keepsAll || change.cookie?.expires != nil || change.previous?.expires != nil { self?.schedule() }
        }
        let snapshot = jar.snapshot
        let kept = kept(snapshot.cookies)
        let (old, isSaved) = state.withLock { state in
            let isSaved = state.loaded == kept
            defer {
                state.loaded = nil
                (state.jar, state.observation, state.saved) = (jar, observation, isSaved ? snapshot.version : nil)
            }
            return (state.observation, isSaved)
        }
        old?.cancel()
        if !isSaved { schedule() }
    }

    private func kept(_ cookies: [Cookie]) -> [Cookie] {
        options.keepsSessionCookies ? cookies : cookies.filter { $0.expires != nil }
    }

    /// Returns when all that was changed before lies in the file, safe from a kill and a power cut.
    /// - Throws: ``CookieFileError``; the old file is there still.
    public func flush() async throws {
        try await queue.run { try self.save() }
    }

    /// Writes soon, with what else has changed by then.
    private func schedule() {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        // The file lives until this is done.
        queue.enqueue(after: options.delay) {
            self.state.withLock { $0.isScheduled = false }
            do {
                try self.save()
            } catch {
                self.options.onFailure(error)
            }
        }
    }

    /// On the queue alone.
    private func save() throws {
        let (jar, saved) = state.withLock { ($0.jar, $0.saved) }
        guard let jar else { return }
        let snapshot = jar.snapshot
        guard snapshot.version != saved else { return }
        let bytes = try JSONEncoder().encode(CookieDocument(kept(snapshot.cookies)))
        guard bytes.count <= options.maxBytes else {
            throw CookieFileError(.tooLarge, "\(bytes.count) bytes of at most \(options.maxBytes)", at: path)
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
    /// How a jar is kept.
    public struct Options: Sendable {
        /// Whether cookies of the session are written as well; no.
        public var keepsSessionCookies = false
        /// How long changes are gathered before they are written together; 1 s.
        public var delay: Duration = .seconds(1)
        /// The most bytes of a file, read or written; 64 MiB, which is more than the largest jar of the usual limits takes.
        public var maxBytes = 64 << 20
        /// Hears of each write that failed without anybody waiting for it, on a thread of the file's own. The next change
        /// tries again.
        public var onFailure: @Sendable (any Error) -> Void = { _ in }

        /// Makes the usual options.
        public init() {}
    }
}

extension CookieFile {
    /// What was read.
    public struct Contents: Sendable, Hashable {
        /// The cookies, those included whose time is over.
        public let cookies: [Cookie]
        /// How many more the file had that no jar would have written.
        public let refused: Int
        /// Why nothing could be read, and where the file is now; `nil` where all is well, and where there is no file.
        public let damage: Damage?
    }

    /// A file that could not be read as a whole, and so was not read at all.
    public struct Damage: Sendable, Hashable {
        /// What is wrong. Further ones are added over time.
        public struct Reason: Sendable, Hashable, CustomStringConvertible {
            public let description: String

            init(_ description: String) {
                self.description = description
            }

            /// Its bytes are no cookies: cut off, or changed.
            public static let unreadable = Reason("unreadable")
            /// A later version of this library has written it.
            public static let newerFormat = Reason("newer-format")
            /// It has more bytes than the limit.
            public static let tooLarge = Reason("too-large")
        }

        /// What is wrong.
        public let reason: Reason
        /// Where the file is now. The next one to be set aside takes its place.
        public let path: String
    }
}
