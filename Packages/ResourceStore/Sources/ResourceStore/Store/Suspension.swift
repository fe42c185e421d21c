// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The suspension state of a store. Nothing may be written while the store is suspended.
///
/// Each write checks the state after it has acquired its database's writer connection. Code that sets the state and
/// then waits once for both connections can therefore rely on the end of all writes, including operations that started
/// before.
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

    /// Checks that the store is not suspended.
    /// - Throws: ``StoreError`` with code `suspended`.
    func check() throws {
        if isOn { throw StoreError(.suspended, "the store is suspended", at: directory) }
    }
}
