// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

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
