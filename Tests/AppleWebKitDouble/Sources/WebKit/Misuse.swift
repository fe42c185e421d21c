// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Ends the process, as an NSException of the real system does.
/// - Parameter rule: one line that names the rule.
func misuse(_ rule: String, file: StaticString = #file, line: UInt = #line) -> Never {
    preconditionFailure(rule, file: file, line: line)
}

/// The value that a delegate passes to its completion handler, and the call that waits for it.
@MainActor
final class Answer<Value> {
    let handler: String
    private(set) var value: Value?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ handler: String) { self.handler = handler }

    /// Sets the value. Later values are ignored.
    func set(_ value: Value) {
        guard self.value == nil else { return }
        self.value = value
        resume()
    }

    /// Returns the value. If a test is cancelled before, by its time limit, the process ends.
    func wait() async -> Value {
        while true {
            if let value { return value }
            guard !Task.isCancelled else { misuse("\(handler) was not answered within the time limit of the test") }
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiting.append($0) }
            } onCancel: {
                Task { await self.resume() }
            }
        }
    }

    private func resume() {
        let continuations = waiting
        waiting = []
        for continuation in continuations { continuation.resume() }
    }
}

/// The part of a completion handler that the delegate holds. A second call and a release without a call end the
/// process.
///
/// WebKit documents "always execute the `decisionHandler` block at some point". Believed: it raises
/// NSInternalInconsistencyException for both faults. A device shows it by a delegate that drops its handler.
@MainActor
final class Reply<Value> {
    private let handler: String
    private let answer: Answer<Value>
    private var isCalled = false

    init(_ answer: Answer<Value>) { (handler, self.answer) = (answer.handler, answer) }

    func call(_ value: Value) {
        guard !isCalled else { misuse("the completion handler of \(handler) was called twice") }
        isCalled = true
        answer.set(value)
    }

    isolated deinit {
        guard isCalled else { misuse("the completion handler of \(handler) was released without a call") }
    }
}
