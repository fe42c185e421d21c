// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

// Bodies of forms. The navigation of a form ends the page that its body comes from, so the body has to be here before.
extension BodyRelay {
    /// Expects the body of a form. One that is longer than ``Limits/lead`` is written to a temporary file, up to
    /// ``Limits/heldBytes`` in all; a still longer one is not held, and arrives while its request is under way.
    /// - Throws: `ResourceError` with code `tooLarge` beyond the limit of bodies, `io` if there is no file. Then nothing
    ///   of the body is here.
    func hold(_ id: BodyID, length: Int64) throws {
        try state.withLock { try $0.hold(id, length: length, limits) }
        watch(id)
    }

    /// Returns a Boolean value that indicates whether bytes of a held body are still to come.
    func isIncomplete(_ id: BodyID) -> Bool { state.withLock { $0.isIncomplete(id) } }

    /// Returns when a held body is whole, or is not here any more.
    func waitUntilWhole(_ id: BodyID) async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                guard state.isIncomplete(id) else { return false }
                state.entries[id]?.waiters.append(continuation)
                return true
            }
            if !isWaiting { continuation.resume() }
        }
    }
}
