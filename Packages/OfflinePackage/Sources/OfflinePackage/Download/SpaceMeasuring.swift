// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceStore
internal import SystemSupport

/// A source of the free space of the device.
public protocol SpaceMeasuring: Sendable {
    /// Returns the number of bytes that this user may still write to the file system of a folder.
    /// - Throws: ``DeliveryError`` with code `io`.
    func availableBytes(at folder: String) throws -> Int64
}

/// The free space according to statvfs(3).
public struct FileSystemSpace: SpaceMeasuring {
    /// Creates the source.
    public init() {}

    public func availableBytes(at folder: String) throws -> Int64 {
        try SystemError.mapping {
            try FileSystem.freeBytes(at: folder)
        } to: {
            DeliveryError($0)
        }
    }
}

/// A provider that frees space in a budget before bytes are stored.
protocol SpaceEnsuring: Sendable {
    /// Frees space for a number of additional bytes.
    /// - Throws: an error if the space is not available. The updater rethrows a ``DeliveryError``, `CancellationError`
    ///   and a `StoreError` with another meaning unchanged.
    func ensureSpace(for bytes: Int64) async throws
}

/// The store frees space in its package budget and checks the free space of the device.
extension BlobStore: SpaceEnsuring {}
