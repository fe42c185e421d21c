// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import OfflinePackage
internal import SystemSupport
internal import WebEngine

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Checks the free space of the device before a download is started, and after each 4 MiB of it, because other files
/// may use space meanwhile.
final class DiskSpaceGuard: Sendable {
    private let space: any SpaceMeasuring
    private let folder: String
    private let reserve: Int64
    private let next = Mutex(step)

    private static let step: Int64 = 4 << 20
    /// The number of free bytes below which a file system counts as full.
    private static let spareBytes: Int64 = 1 << 16

    init(in folder: String, by options: DownloadOptions) {
        self.folder = folder
        space = options.space
        reserve = options.reserve
    }

    /// Checks that the free space suffices for a file.
    /// - Parameter bytes: the length of the file; `nil` if unknown.
    /// - Throws: ``DownloadError``.
    @concurrent
    func check(for bytes: Int64?) async throws {
        let available: Int64
        do {
            available = try space.availableBytes(at: folder)
        } catch {
            throw DownloadError(.destination, "\(error)", at: folder)
        }
        guard available - reserve > bytes ?? 0 else { throw noSpace(available) }
    }

    /// Returns a Boolean value that indicates whether the space must be checked again at a length; `true` once per
    /// step.
    func isDue(at bytes: Int64) -> Bool {
        next.withLock { next in
            guard bytes >= next else { return false }
            next = bytes + Self.step
            return true
        }
    }

    /// Checks that the reserve is free.
    /// - Throws: ``DownloadError`` with code `no-space`.
    func recheck() throws {
        guard let available = try? space.availableBytes(at: folder), available < reserve else { return }
        throw noSpace(available)
    }

    /// Calls ``recheck()`` outside the caller's actor.
    @concurrent
    func recheckElsewhere() async throws { try recheck() }

    /// Returns the error of a failed write of an engine, which reports the reason only as a system message. The
    /// partial file may have been removed by now, so that there is space again.
    @concurrent
    func reason(for error: EngineError) async -> any Error {
        let isSaid = [ENOSPC, EDQUOT].contains { error.message.contains(SystemError.reason(of: $0)) }
        if error.code == .storage, isSaid { return DownloadError(.noSpace, error.message, at: folder) }
        guard let available = try? space.availableBytes(at: folder), available < max(reserve, Self.spareBytes) else {
            return error
        }
        return DownloadError(.noSpace, "\(available) bytes are free: \(error)", at: folder)
    }

    private func noSpace(_ available: Int64) -> DownloadError {
        DownloadError(.noSpace, "\(available) bytes are free, and \(reserve) are reserved", at: folder)
    }
}
