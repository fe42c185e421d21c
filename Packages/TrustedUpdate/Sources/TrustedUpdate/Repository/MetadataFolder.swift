// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import SystemSupport
internal import WebSyntax

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The folder with the trusted metadata, under the file names of TUF without versions.
///
/// Each file is replaced atomically. Metadata from the folder is verified again by each refresh, so a damaged file is
/// the same as a missing one, except the root, from which the trust begins. Calls block their thread.
struct MetadataFolder: Sendable {
    private let directory: DirectoryDescriptor

    /// - Throws: ``TrustError`` with code `io`.
    init(_ path: String) throws(TrustError) {
        do throws(SystemError) { directory = try DirectoryDescriptor(path: path) } catch { throw TrustError(error) }
    }

    /// Returns the name of the file of a role. Characters that are not in the set `unreserved` are percent-encoded
    /// (RFC 3986, section 2.3).
    static func name(of role: String) -> String { PercentEncoding.encode(role, keeping: .unreserved) + ".json" }

    /// Returns the metadata of a role, or `nil` if there is no file, or none within the limit.
    /// - Throws: ``TrustError`` with code `io` if a file cannot be read, because it may protect against a rollback.
    func read(_ role: String, maxBytes: Int) throws(TrustError) -> Data? {
        try readFile(Self.name(of: role), maxBytes: maxBytes)
    }

    /// Returns the content of a file like ``read(_:maxBytes:)``.
    func readFile(_ name: String, maxBytes: Int) throws(TrustError) -> Data? {
        let file: CInt
        do throws(SystemError) {
            // A named pipe would block without the flag.
            file = try directory.openFile(name, O_RDONLY | O_NONBLOCK)
        } catch {
            // A symbolic link is not followed. A name that is too long has no file.
            guard ![ENOENT, ELOOP, ENAMETOOLONG].contains(error.number) else { return nil }
            throw TrustError(error)
        }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        let bytes: Data
        do {
            bytes = try handle.read(upToCount: maxBytes + 1) ?? Data()
        } catch {
            throw TrustError(.io, "\(error)", at: directory.location(of: name), cause: error)
        }
        return bytes.count <= maxBytes ? bytes : nil
    }

    /// Replaces the metadata of a role. It is on the device when this method returns.
    /// - Throws: ``TrustError`` with code `io`.
    func write(_ bytes: Data, of role: String) throws(TrustError) {
        try writeFile(Self.name(of: role), bytes)
    }

    /// Replaces a file like ``write(_:of:)``.
    func writeFile(_ name: String, _ bytes: Data) throws(TrustError) {
        do {
            try bytes.withUnsafeBytes { try directory.replaceFile(name, with: $0, isDurable: true) }
        } catch let error as SystemError {
            throw TrustError(error)
        } catch {
            throw TrustError(.io, "\(error)", at: directory.path, cause: error)
        }
    }

    // MARK: Roots

    /// The name of the file with the digests of all roots that the folder has had. No role has it, because it does not
    /// end in `.json`.
    private static let rootsName = "former-roots"
    private static let maxRootsBytes = 1 << 20

    /// Returns a Boolean value that indicates whether the folder has had a root.
    func hasRecorded(_ root: Data) throws(TrustError) -> Bool {
        try recordedRoots().contains(SHA256Digest(of: root).hex)
    }

    /// Adds a root to those that the folder has had.
    func record(_ root: Data) throws(TrustError) {
        let (roots, digest) = (try recordedRoots(), SHA256Digest(of: root).hex)
        guard !roots.contains(digest) else { return }
        try writeFile(Self.rootsName, Data((roots + [digest]).map { $0 + "\n" }.joined().utf8))
    }

    private func recordedRoots() throws(TrustError) -> [String] {
        let text = try readFile(Self.rootsName, maxBytes: Self.maxRootsBytes) ?? Data()
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Removes the metadata of a role, if there is one.
    /// - Throws: ``TrustError`` with code `io`.
    func remove(_ role: String) throws(TrustError) {
        do throws(SystemError) { try directory.remove(Self.name(of: role)) } catch { throw TrustError(error) }
    }
}
