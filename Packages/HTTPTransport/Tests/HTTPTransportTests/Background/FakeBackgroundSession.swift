// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import ResourceLoading

@testable import HTTPTransport

/// A session that records its calls. The test sends the events.
///
/// Isolation: any; all members may be called concurrently.
final class FakeBackgroundSession: BackgroundSession {
    private struct State {
        var tasks: [BackgroundSessionTask]
        var starts: [BackgroundSessionSource] = []
        var cancelled: [Int] = []
    }

    /// The gate of `tasks()`.
    let gate = CallGate()
    private let state: Mutex<State>

    /// Creates a session with tasks of an earlier process.
    init(_ tasks: [BackgroundSessionTask] = []) {
        state = Mutex(State(tasks: tasks))
    }

    /// The sources of the started tasks, whose identifiers are 101, 102, and so on.
    var starts: [BackgroundSessionSource] { state.withLock { $0.starts } }
    /// The identifiers of the cancelled tasks.
    var cancelled: [Int] { state.withLock { $0.cancelled } }

    func tasks() async -> [BackgroundSessionTask] {
        let tasks = state.withLock { $0.tasks }
        await gate.pass()
        return tasks
    }

    func start(_ source: BackgroundSessionSource, description: String) -> Int {
        state.withLock { state in
            state.starts.append(source)
            return 100 + state.starts.count
        }
    }

    func cancel(_ task: Int) {
        state.withLock { $0.cancelled.append(task) }
    }
}

/// A process with a queue and its session.
struct BackgroundProcess {
    static let url = "https://packages.example/shop.zip"
    static let key = String(repeating: "0a", count: 32)
    static let limit: Int64 = 10

    let folder: TemporaryFolder
    let session: FakeBackgroundSession
    let queue: BackgroundDownloadQueue

    /// Creates a process, or a later one with the folder of an earlier one.
    init(after earlier: BackgroundProcess? = nil, tasks: [BackgroundSessionTask] = []) throws {
        let session = FakeBackgroundSession(tasks)
        folder = try earlier?.folder ?? TemporaryFolder()
        self.session = session
        queue = BackgroundDownloadQueue(folder: folder.path + "/finished", identifier: "app.packages") { _ in session }
    }

    /// A task of the download.
    static func task(_ id: Int, key: String = key) -> BackgroundSessionTask {
        BackgroundSessionTask(id: id, description: "\(key) \(limit)")
    }

    private var file: BackgroundDownload {
        BackgroundDownload(key: Self.key, url: Self.url, sizeLimit: Self.limit)
    }

    /// Starts a request, and waits until it waits for its task.
    func request() async throws -> Task<Void, any Error> {
        let waiting = queue.waiting
        let task = Task { try await download() }
        try await until { queue.waiting > waiting }
        return task
    }

    /// Requests the file, and returns when it is complete.
    func download() async throws {
        try await queue.download(file)
    }

    /// Takes the file, whose new path is `name` in the folder.
    func take(_ name: String = "file") async throws -> Bool {
        try await queue.takeFile(of: file, to: "\(folder.path)/\(name)")
    }

    /// Ends a task with a file of the session.
    func finish(_ id: Int, _ text: String = "bytes", status: Int = 200, at url: String = url) throws {
        let file = try folder.write("session/\(id)", text.utf8)
        queue.didFinish(Self.task(id), status: status, at: URL(string: url), file: URL(fileURLWithPath: file))
    }

    func fail(_ id: Int, resumeData: String? = nil) {
        queue.didFail(Self.task(id), URLError(.networkConnectionLost), resumeData: resumeData.map { Data($0.utf8) })
    }

    /// The files of the queue that no request has taken.
    var kept: [String] { (try? folder.files(in: "finished")) ?? [] }
}
