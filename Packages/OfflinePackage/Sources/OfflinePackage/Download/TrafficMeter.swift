// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Counts what goes over the network, also of attempts that end with an error.
final class TrafficMeter: Sendable {
    private let state = Mutex(DeliveryTraffic())

    var traffic: DeliveryTraffic { state.withLock { $0 } }

    func countRequest() {
        state.withLock { $0.requests += 1 }
    }

    func count(_ bytes: Int) {
        state.withLock { $0.bytes += Int64(bytes) }
    }
}
