// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import WebEngine

    /// The bytes that all tasks of one scheme in one view have sent, and that the web process has not confirmed.
    ///
    /// WebKit has no back-pressure: it sends each piece to the web process at once, which buffers it. A task therefore
    /// sends nothing while ``limit`` bytes are unconfirmed. A round trip to the web process confirms what was sent
    /// before it; the tasks that wait share it, and continue in the order in which they began to wait.
    ///
    /// A round trip is awaited for a limited time, because a page that is busy, or that waits in a synchronous
    /// XMLHttpRequest for the body of a task, confirms nothing. Its bytes then count as confirmed.
    @MainActor
    final class TransferWindow {
        /// The maximum number of unconfirmed bytes: 8 MB.
        static let limit = 8 << 20
        /// The longest wait for a confirmation of the web process.
        static let patience = Duration.milliseconds(250)

        private let patience: Duration
        private let confirm: @MainActor () async -> Void
        private var unconfirmed = 0
        private var waiting: [(task: ObjectIdentifier, continuation: CheckedContinuation<Bool, Never>)] = []
        /// The number of tasks that may send a piece and have not continued.
        private var granted = 0
        private var isConfirming = false

        /// Creates a window without unconfirmed bytes.
        /// - Parameters:
        ///   - patience: the longest wait for a confirmation.
        ///   - confirm: a closure that returns when the web process has received all earlier data.
        init(patience: Duration = patience, confirm: @escaping @MainActor () async -> Void) {
            self.patience = patience
            self.confirm = confirm
        }

        /// A Boolean value that indicates whether a task must wait before it sends a piece.
        var isFull: Bool { space < 1 }

        /// The number of pieces that may be sent.
        private var space: Int { (Self.limit - unconfirmed) / WKWebViewSchemeTask.lead - granted }

        /// Records bytes that a task has sent.
        func record(_ count: Int) { unconfirmed += count }

        /// Waits until the task may send a piece, which it must do without a suspension, or until ``release(_:)``.
        func awaitTurn(of task: ObjectIdentifier) async {
            let isGranted = await withCheckedContinuation { continuation in
                waiting.append((task, continuation))
                guard !isConfirming else { return }
                isConfirming = true
                Task { await confirmWhileTasksWait() }
            }
            if isGranted { granted -= 1 }
        }

        /// Ends the waits of a task that has ended.
        func release(_ task: ObjectIdentifier) {
            let released = waiting.filter { $0.task == task }
            waiting.removeAll { $0.task == task }
            for wait in released { wait.continuation.resume(returning: false) }
        }

        private func confirmWhileTasksWait() async {
            while !waiting.isEmpty {
                let sent = unconfirmed
                try? await withLimit(patience) { [confirm] in await confirm() }
                unconfirmed -= sent
                let next = waiting.prefix(max(0, space))
                waiting.removeFirst(next.count)
                granted += next.count
                for wait in next { wait.continuation.resume(returning: true) }
            }
            isConfirming = false
        }
    }
#endif
