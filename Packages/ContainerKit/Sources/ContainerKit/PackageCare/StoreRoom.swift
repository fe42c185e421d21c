// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import OfflinePackage
internal import ResourceStore

/// The store's budget, for whoever brings packages in.
struct StoreRoom: RoomEnsuring {
    let store: ResourceStore

    @concurrent
    func ensureRoom(for bytes: Int64) async throws {
        try store.ensureRoom(for: bytes)
    }
}
