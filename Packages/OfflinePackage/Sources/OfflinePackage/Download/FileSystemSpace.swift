// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What statvfs(3) says.
public struct FileSystemSpace: SpaceMeasuring {
    public init() {}

    public func availableBytes(at folder: String) throws -> Int64 {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { throw DeliveryError(errno: errno, "statvfs", at: folder) }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : Int64(clamping: bytes)
    }
}
