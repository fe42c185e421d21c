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

/// Whether there is room for a file: before it is begun, and again after each 4 MiB of it, as others write, too.
final class DiskSpaceGuard: Sendable {
    private let space: any SpaceMeasuring
    private let folder: String
    private let reserve: Int64
    private let next = Mutex(step)

    private static let step: Int64 = 4 << 20
    /// With less than that a file system counts as full.
    private static let spareBytes: Int64 = 1 << 16

    init(in folder: String, by options: DownloadOptions) {
        self.folder = folder
        space = options.space
        reserve = options.reserve
    }

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

    /// Whether so many bytes are a reason to look again; true once for each step.
    func isDue(at bytes: Int64) -> Bool {
        next.withLock { next in
            guard bytes >= next else { return false }
            next = bytes + Self.step
            return true
        }
    }

    /// - Throws: ``DownloadError`` with code `no-space`.
    func recheck() throws {
        guard let available = try? space.availableBytes(at: folder), available < reserve else { return }
        throw noSpace(available)
    }

    @concurrent
    func recheckElsewhere() async throws { try recheck() }

    /// Why a file may not have been written whose writer does not say why, but in the words of the system: what it had
    /// written may be gone by now, so that there is room again.
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
        DownloadError(.noSpace, "\(available) bytes are free, and \(reserve) are to stay so", at: folder)
    }
}
