// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Dispatch
internal import Foundation
public import ResourceLoading
internal import SystemSupport

/// A queue of background downloads of URLSession, which continue while the app is suspended or not running.
///
/// Create one queue when the app launches, before its delegate method for background sessions is called, and keep it.
/// One container uses it. The system may launch the app in the background so that the queue receives a file; no
/// container is needed for that. The file waits in the folder until a request takes it. A task ends after seven days.
/// Files that were not taken within seven days are removed when a queue with the folder is created.
///
/// The session follows redirects itself, so only the last URL of a response is checked: it must use https. The session
/// decides on the time and the network; App Transport Security applies to each redirect.
///
/// Isolation: any. Files are moved on the queue of the session.
public final class BackgroundDownloadQueue: BackgroundDownloading {
    /// The time for which a task and its file are kept, in seconds.
    static let retention: TimeInterval = 7 * 86_400
    private static let resumeDataLimit: Int64 = 1 << 20

    private let folder: String
    private let identifier: String
    private let state = Mutex(State())
    @MainActor private var events = LaunchEvents()

    #if canImport(Darwin)
        /// Creates a queue with its session.
        ///
        /// The identifier of the session is made of that of the app's bundle and the name. It does not depend on the
        /// folder, because the system moves the folders of an app when it updates the app.
        /// - Parameters:
        ///   - folder: The path of a folder for finished files that nothing else uses, outside of the directory of a
        ///     container and on its volume. It is created if necessary.
        ///   - name: The name of the queue in the app; `packages` by default. A process has one queue of a name.
        public convenience init(folder: String, name: String = "packages") {
            let identifier = "\(Bundle.main.bundleIdentifier ?? "container").\(name)"
            self.init(folder: folder, identifier: identifier) {
                SystemBackgroundSession(identifier: identifier, queue: $0)
            }
        }
    #endif

    /// Creates a queue.
    /// - Parameters:
    ///   - folder: The path of the folder for finished files.
    ///   - identifier: The identifier of the session.
    ///   - makeSession: A closure that returns the session, which calls the queue with its events.
    init(folder: String, identifier: String, makeSession: (BackgroundDownloadQueue) -> any BackgroundSession) {
        self.folder = folder
        self.identifier = identifier
        removeStaleFiles()
        let session = makeSession(self)
        state.withLock { $0.session = session }
    }

    // MARK: Requests

    /// The number of waiting requests.
    var waiting: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.waiters.count } } }

    public func download(_ download: BackgroundDownload) async throws {
        guard let url = URL(string: download.url), url.scheme?.lowercased() == "https",
            let name = DownloadName(key: download.key, sizeLimit: download.sizeLimit)
        else { throw ResourceError(.invalidRequest, "not an https URL, or not a valid key", at: download.url) }
        await attach()
        let ticket = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if hasFile(of: name) { return .success(()) }
                    state.insert(
                        Waiter(ticket: ticket, continuation: continuation), for: name, at: url,
                        resumeData: takeResumeData(of: name.key))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.removeWaiter(ticket, for: name.key) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    public func takeFile(of download: BackgroundDownload, to path: String) async throws -> Bool {
        guard let name = DownloadName(key: download.key, sizeLimit: download.sizeLimit) else { return false }
        return try state.withLock { _ in
            guard hasFile(of: name) else { return false }
            try move(file(of: name.key), to: path)
            return true
        }
    }

    public func cancel(_ prefix: String) async {
        guard DownloadName(key: prefix, sizeLimit: 0) != nil else { return }
        await attach()
        let entries = state.withLock { state in
            for name in fileNames where name.hasPrefix(prefix) { remove("\(folder)/\(name)") }
            return state.entries.keys.filter { $0.hasPrefix(prefix) }.compactMap { state.cancel($0) }
        }
        for entry in entries {
            entry.resume(
                throwing: ResourceError(.cancelled, "the download was cancelled", at: entry.url?.absoluteString))
        }
    }

    /// Handles the events for which the system launched the app, or resumed it.
    ///
    /// Call it in `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    /// - Parameters:
    ///   - identifier: The identifier of the session.
    ///   - completion: The closure of the system. It is called once, on the main actor, when all files are in their
    ///     folder.
    /// - Returns: `false` if the session is not the session of this queue. The closure is not called then.
    @MainActor @discardableResult
    public func handleEvents(ofSession identifier: String, completion: @escaping () -> Void) -> Bool {
        guard identifier == self.identifier else { return false }
        events.completions.append(completion)
        callCompletions()
        return true
    }

    // MARK: Events of the session

    /// Moves a file to the folder, and ends the requests that wait for it. The session removes it after this call.
    func didFinish(_ task: BackgroundSessionTask, status: Int?, at url: URL?, file: URL) {
        eventsBegan()
        let (waiters, result): ([Waiter], Result<Void, any Error>) = state.withLock { state in
            guard let name = state.end(task) else { return ([], .success(())) }
            // The session may have ended another task of the key while the app did not run.
            let waiters = state.cancel(name.key, except: task.id)?.waiters ?? []
            return (waiters, Result { try keep(file.path, of: name, status: status, at: url) })
        }
        for waiter in waiters { waiter.continuation.resume(with: result) }
    }

    /// Records the number of bytes that a task has received in total, and cancels a task that exceeds its limit.
    func didReceive(_ task: BackgroundSessionTask, bytes: Int64) {
        guard let name = DownloadName(task.description) else { return }
        let entry: Entry? = state.withLock { state in
            let isCurrent = state.entries[name.key]?.task == task.id
            guard bytes > name.sizeLimit else {
                if isCurrent { state.entries[name.key]?.record(bytes) }
                return nil
            }
            if isCurrent { return state.cancel(name.key) }
            state.session?.cancel(task.id)
            return nil
        }
        entry?.resume(throwing: Self.tooLarge(name, at: entry?.url))
    }

    /// Resumes or restarts a task, or ends its requests.
    func didFail(_ task: BackgroundSessionTask, _ error: any Error, resumeData: Data?) {
        eventsBegan()
        let failed: Entry? = state.withLock { state in
            guard let name = state.end(task) else { return nil }
            let entry = state.entries[name.key]
            guard entry == nil || entry?.task == task.id else { return nil }
            if let entry, !entry.waiters.isEmpty, state.restart(name, resumeData) { return nil }
            state.entries[name.key] = nil
            if entry?.waiters.isEmpty ?? true, let resumeData {
                // The next request resumes.
                try? FileSystem.makeDirectory(folder)
                try? resumeData.write(to: URL(fileURLWithPath: resumeFile(of: name.key)), options: .atomic)
            }
            return entry
        }
        // Never `cancelled`: the system cancels tasks too, for example if the user ends the app.
        failed?.resume(
            throwing: ResourceError(
                .connectionLost, "the background download failed", at: failed?.url?.absoluteString, cause: error))
    }

    /// Calls the closure of the system, because all events have been delivered.
    func didFinishEvents() {
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                self.events.areFinished = true
                self.callCompletions()
            }
        }
    }

    /// Records an event of a task, which belongs to later events than those whose end was reported.
    private func eventsBegan() {
        DispatchQueue.main.async { MainActor.assumeIsolated { self.events.areFinished = false } }
    }

    @MainActor private func callCompletions() {
        guard events.areFinished, !events.completions.isEmpty else { return }
        let completions = events.completions
        events = LaunchEvents()
        for completion in completions { completion() }
    }

    // MARK: Tasks of earlier processes

    /// Joins the tasks of earlier processes.
    private func attach() async {
        guard let session = state.withLock({ $0.isAttached ? nil : $0.session }) else { return }
        let tasks = await session.tasks()
        state.withLock { if !$0.isAttached { $0.attach(tasks) } }
    }

    /// Removes files that no request has taken in time.
    private func removeStaleFiles() {
        let oldest = Date().timeIntervalSince1970 - Self.retention
        for name in fileNames {
            guard let status = try? FileStatus(path: "\(folder)/\(name)", followsLinks: false), status.kind == .file,
                Double(status.modificationTime / 1_000_000_000) < oldest
            else { continue }
            remove("\(folder)/\(name)")
        }
    }

    // MARK: Files

    private var fileNames: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
    private func file(of key: String) -> String { "\(folder)/\(key)" }
    private func resumeFile(of key: String) -> String { "\(folder)/\(key).resume" }
    private func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Moves a file of the session to the folder.
    private func keep(_ source: String, of name: DownloadName, status: Int?, at url: URL?) throws {
        // A response to a resumed task has status 206. The queue itself requests no ranges.
        guard status == 200 || status == 206 else {
            throw ResourceError(
                .connectionLost, "the server responded with status \(status ?? 0)", at: url?.absoluteString)
        }
        guard url?.scheme?.lowercased() == "https" else {
            throw ResourceError(.blocked, "a redirect leads from https to http", at: url?.absoluteString)
        }
        try SystemError.mapping {
            let size = try FileStatus(path: source, followsLinks: false).size
            guard size <= name.sizeLimit else { throw Self.tooLarge(name, at: url) }
            try FileSystem.makeDirectory(folder)
        } to: {
            ResourceError(.io, "the file cannot be kept", at: $0.path, cause: $0)
        }
        try move(source, to: file(of: name.key))
    }

    private static func tooLarge(_ name: DownloadName, at url: URL?) -> ResourceError {
        ResourceError(.tooLarge, "the file has more than \(name.sizeLimit) bytes", at: url?.absoluteString)
    }

    /// Moves a file, and replaces an existing one. If it fails, both are unchanged.
    private func move(_ source: String, to path: String) throws {
        if (try? FileSystem.rename(source, to: path)) != nil { return }
        // The paths may be on different volumes.
        let copy = "\(path).copy"
        do {
            remove(copy)
            try FileManager.default.copyItem(atPath: source, toPath: copy)
            try FileSystem.rename(copy, to: path)
        } catch {
            remove(copy)
            throw ResourceError(.io, "the file cannot be moved", at: path, cause: error)
        }
        remove(source)
    }

    /// Returns a Boolean value that indicates whether the folder has the file of a download. Removes a file that is
    /// above the limit.
    private func hasFile(of name: DownloadName) -> Bool {
        let file = file(of: name.key)
        guard let status = try? FileStatus(path: file, followsLinks: false) else { return false }
        guard status.kind == .file, status.size <= name.sizeLimit else {
            remove(file)
            return false
        }
        return true
    }

    private func takeResumeData(of key: String) -> Data? {
        let file = resumeFile(of: key)
        guard let status = try? FileStatus(path: file, followsLinks: false) else { return nil }
        defer { remove(file) }
        guard status.kind == .file, status.size <= Self.resumeDataLimit else { return nil }
        return FileManager.default.contents(atPath: file)
    }
}

extension BackgroundDownloadQueue {
    /// The closures of the system, and the end of the events.
    private struct LaunchEvents {
        var completions: [() -> Void] = []
        /// A Boolean value that indicates whether the events have ended for which no closure was called. The session
        /// may report their end before the app passes the closure.
        var areFinished = false
    }
}
