// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceStore
internal import SystemSupport

/// Says how much room the device has.
public protocol SpaceMeasuring: Sendable {
    /// Bytes that this user may still write to the file system of a folder.
    /// - Throws: ``DeliveryError`` with code `io`.
    func availableBytes(at folder: String) throws -> Int64
}

/// What statvfs(3) says.
public struct FileSystemSpace: SpaceMeasuring {
    public init() {}

    public func availableBytes(at folder: String) throws -> Int64 {
        try SystemError.mapping {
            try FileSystem.freeBytes(at: folder)
        } to: {
            DeliveryError($0)
        }
    }
}

/// Makes room in a budget before bytes are brought in.
public protocol SpaceEnsuring: Sendable {
    /// Makes room for so many bytes more, or refuses.
    /// - Throws: where there can be no such room. A `StoreError` that means something else, a ``DeliveryError`` and
    ///   `CancellationError` are passed on as they are.
    func ensureSpace(for bytes: Int64) async throws
}

/// Its own budget for packages, and the device.
extension BlobStore: SpaceEnsuring {}
