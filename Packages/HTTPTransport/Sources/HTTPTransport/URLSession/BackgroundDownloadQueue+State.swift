// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

extension BackgroundDownloadQueue {
    /// The description of a task, `KEY LIMIT`, from which a later process knows the download.
    struct DownloadName: Sendable, Hashable, CustomStringConvertible {
        let key: String
        let sizeLimit: Int64

        init?(key: String, sizeLimit: Int64) {
            // The key is also the name of a file.
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9"), letters = UInt8(ascii: "a")...UInt8(ascii: "f")
            guard (1...64).contains(key.utf8.count), sizeLimit >= 0,
                key.utf8.allSatisfy({ digits.contains($0) || letters.contains($0) })
            else { return nil }
            self.key = key
            self.sizeLimit = sizeLimit
        }

        init?(_ description: String?) {
            let parts = description?.split(separator: " ", omittingEmptySubsequences: false) ?? []
            guard parts.count == 2, let sizeLimit = Int64(parts[1]) else { return nil }
            self.init(key: String(parts[0]), sizeLimit: sizeLimit)
        }

        var description: String { "\(key) \(sizeLimit)" }
    }

    /// A request that waits for a file.
    struct Waiter {
        let ticket: UUID
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// The running task of a key, and the requests that wait for its file.
    struct Entry {
        var task: Int
        /// The URL of the latest request, or `nil` for a task of an earlier process without a request.
        var url: URL?
        /// A Boolean value that indicates whether the task started from resume data.
        var isResumed = false
        /// A Boolean value that indicates whether the download may start from the first byte again.
        var mayRestart = true
        /// The largest number of bytes that a task of the download had.
        var received: Int64 = 0
        /// A Boolean value that indicates whether `received` has grown since the task started.
        var hasProgress = false
        var waiters: [Waiter] = []

        mutating func record(_ bytes: Int64) {
            guard bytes > received else { return }
            received = bytes
            hasProgress = true
        }

        func resume(throwing error: any Error) {
            for waiter in waiters { waiter.continuation.resume(throwing: error) }
        }
    }

    /// The tasks of a queue by key.
    struct State {
        var session: (any BackgroundSession)?
        var isAttached = false
        var entries: [String: Entry] = [:]
        /// The tasks that ended before the tasks of earlier processes were known.
        var ended: Set<Int> = []

        /// Records the tasks of earlier processes. A task without a key, and the second one of a key, are cancelled.
        mutating func attach(_ tasks: [BackgroundSessionTask]) {
            isAttached = true
            for task in tasks where !ended.contains(task.id) {
                if let name = DownloadName(task.description), entries[name.key] == nil {
                    entries[name.key] = Entry(task: task.id)
                } else {
                    session?.cancel(task.id)
                }
            }
            ended = []
        }

        /// Adds a request, and starts a task if the key has none.
        mutating func insert(
            _ waiter: Waiter, for name: DownloadName, at url: URL, resumeData: @autoclosure () -> Data?
        ) {
            if entries[name.key] == nil, let session {
                let data = resumeData()
                let source = data.map { BackgroundSessionSource.resumeData($0) } ?? .url(url)
                let task = session.start(source, description: name.description)
                entries[name.key] = Entry(task: task, isResumed: data != nil)
            }
            entries[name.key]?.url = url
            entries[name.key]?.waiters.append(waiter)
        }

        mutating func removeWaiter(_ ticket: UUID, for key: String) -> Waiter? {
            guard let index = entries[key]?.waiters.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return entries[key]?.waiters.remove(at: index)
        }

        /// Records the end of a task, and returns its name.
        mutating func end(_ task: BackgroundSessionTask) -> DownloadName? {
            if !isAttached { ended.insert(task.id) }
            return DownloadName(task.description)
        }

        /// Removes the entry of a key and cancels its task, unless the task has the given identifier.
        mutating func cancel(_ key: String, except task: Int? = nil) -> Entry? {
            guard let entry = entries.removeValue(forKey: key) else { return nil }
            if entry.task != task { session?.cancel(entry.task) }
            return entry
        }

        /// Starts the task of a failed download again.
        ///
        /// The task resumes if there is resume data, unless a resumed task has received no new bytes. If a resumed task
        /// fails without data, the download starts from the first byte, once.
        /// - Returns: `false` if the download has failed.
        mutating func restart(_ name: DownloadName, _ resumeData: Data?) -> Bool {
            guard var entry = entries[name.key], let session, let url = entry.url else { return false }
            if let resumeData {
                guard !entry.isResumed || entry.hasProgress else { return false }
                entry.isResumed = true
                entry.task = session.start(.resumeData(resumeData), description: name.description)
            } else {
                guard entry.isResumed, entry.mayRestart else { return false }
                entry.mayRestart = false
                entry.isResumed = false
                entry.received = 0
                entry.task = session.start(.url(url), description: name.description)
            }
            entry.hasProgress = false
            entries[name.key] = entry
            return true
        }
    }
}
