// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport

/// A value that several tasks of a test share, with a lock.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) {
        mutex = Mutex(value)
    }

    var value: Value { mutex.withLock { $0 } }

    func update<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
        mutex.withLock { change(&$0) }
    }
}
