// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Work that is done once, and gone with all it holds when ``run()`` returns: whoever waits for it may then be the last
/// to hold the store, and close it.
final class OneTimeWork: Sendable {
    private let work: Mutex<(@Sendable () async -> Void)?>

    init(_ work: @escaping @Sendable () async -> Void) {
        self.work = Mutex(work)
    }

    func run() async {
        await removeWork()?()
    }

    private func removeWork() -> (@Sendable () async -> Void)? {
        work.withLock { work in
            defer { work = nil }
            return work
        }
    }
}
