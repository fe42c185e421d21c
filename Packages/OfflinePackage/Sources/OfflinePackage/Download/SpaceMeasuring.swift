// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Says how much room the device has.
public protocol SpaceMeasuring: Sendable {
    /// Bytes that this user may still write to the file system of a folder.
    /// - Throws: ``DeliveryError`` with code `io`.
    func availableBytes(at folder: String) throws -> Int64
}
