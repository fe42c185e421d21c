// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Whether a store is suspended, so that nothing may be written.
///
/// Each write asks when it has its database's writing connection. So who suspends, and then waits for both connections
/// once, knows that nothing is written from there on, also by an operation that had begun before.
final class Suspension: Sendable {
    private let directory: String
    private let flag = Atomic(false)

    init(directory: String) {
        self.directory = directory
    }

    var isOn: Bool { flag.load() }

    func begin() {
        flag.store(true)
    }

    func end() {
        flag.store(false)
    }

    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/suspended``.
    func check() throws {
        if isOn { throw StoreError(.suspended, "the store is suspended", at: directory) }
    }
}
