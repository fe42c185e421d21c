// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing

/// Tests of ``CallGate``.
@Suite("Call gate", .timeLimit(.minutes(1)))
struct CallGateTests {
    @Test("Calls wait while the gate is closed, even if they are cancelled, and pass when the gate is open")
    func passes() async {
        let gate = CallGate()
        await gate.pass()
        gate.close()
        let calls = (0..<2).map { _ in Task { await gate.pass() } }
        var arrivals = gate.arrivals.makeAsyncIterator()
        await arrivals.next()
        await arrivals.next()
        calls[0].cancel()
        gate.open()
        for call in calls { await call.value }
        await gate.pass()
        // The gate can be closed again.
        gate.close()
        let call = Task { await gate.pass() }
        await arrivals.next()
        gate.open()
        await call.value
    }
}
