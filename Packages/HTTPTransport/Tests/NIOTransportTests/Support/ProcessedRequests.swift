// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport

/// The number of times that a server has processed each request.
///
/// Isolation: any.
final class ProcessedRequests: Sendable {
    private let table = Mutex<[String: Int]>([:])

    /// The number of times that each request was processed.
    var counts: [String: Int] { table.withLock { $0 } }

    func record(_ id: String) {
        table.withLock { $0[id, default: 0] += 1 }
    }
}
