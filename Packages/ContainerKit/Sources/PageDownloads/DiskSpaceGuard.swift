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

/// The checks of the free space of the device, before a download starts and after each 4 MiB. They are repeated because
/// other files may use space in the meantime.
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

    /// Returns a Boolean value that indicates whether the space must be checked again at a number of received bytes;
    /// `true` once per 4 MiB.
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

    /// Returns the error to report for a failed write of an engine: `noSpace` if the engine's message or the free space
    /// indicates it. The message takes precedence, because the engine may have removed the partial file and so freed
    /// its space.
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
