// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Dispatch

/// Runs jobs one after another on a thread that may block.
///
/// Unpacking, hashing and syncing block for seconds. On Swift's own threads, of which there are as many as
/// cores, that would hold up everyone else's work.
final class BlockingExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label, qos: .utility)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        // The task holds its executor until it is done.
        queue.async { job.runSynchronously(on: executor) }
    }
}
