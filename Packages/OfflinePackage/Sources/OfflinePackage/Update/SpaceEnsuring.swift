// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceStore

/// Makes room in a budget before bytes are brought in.
public protocol SpaceEnsuring: Sendable {
    /// Makes room for so many bytes more, or refuses.
    /// - Throws: where there can be no such room. A `StoreError` that means something else, a ``DeliveryError`` and
    ///   `CancellationError` are passed on as they are.
    func ensureSpace(for bytes: Int64) async throws
}

/// Its own budget for packages, and the device.
extension BlobStore: SpaceEnsuring {}
