// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Where files on their way lie, noted in the container's folder before they do: what a process that was killed has left
/// is removed by the next one. A folder of the host's is never searched, as others may save there, too.
///
/// A file on its way lies in `.containerkit-<32 hexadecimal digits>.part`, and a file of these digits holds its path.
struct DownloadJournal: Sendable {
    private let folder: String

    /// More were never noted by a container.
    private static let entryLimit = 1_024

    /// - Parameter directory: the container's.
    init(directory: String) {
        folder = directory + "/downloads"
    }

    static func token() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    static func folderName(_ token: String) -> String { ".containerkit-\(token).part" }

    /// - Throws: ``DownloadError``.
    func add(_ token: String, _ work: String) throws {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw DownloadError(errno: errno, "mkdir", at: folder)
        }
        do {
            try Data(work.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(token)"))
        } catch {
            throw DownloadError(.io, "cannot note a download: \(error)", at: folder)
        }
    }

    func remove(_ token: String) {
        unlink("\(folder)/\(token)")
    }

    /// Removes what was left. What lies on a volume that is not there is kept in mind.
    func sweep() {
        for token in Self.names(in: folder).prefix(Self.entryLimit) {
            guard Self.isToken(token), let data = FileManager.default.contents(atPath: "\(folder)/\(token)") else {
                continue
            }
            let work = String(decoding: data, as: UTF8.self)
            let name = "/" + Self.folderName(token)
            if work.hasPrefix("/"), work.hasSuffix(name) {
                let parent = String(work.dropLast(name.count))
                guard access(parent.isEmpty ? "/" : parent, F_OK) == 0 else { continue }
                Self.clear(work)
            }
            remove(token)
        }
    }

    /// Removes the folder of a file on its way: it has files, and no folders. A link is not followed.
    static func clear(_ work: String) {
        let descriptor = open(work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        close(descriptor)
        for name in names(in: work) { unlink("\(work)/\(name)") }
        rmdir(work)
    }

    private static func isToken(_ name: String) -> Bool {
        name.utf8.count == 32 && name.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}
