// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Files of keys. Calls block their thread.
package enum KeyFile {
    /// A key as its file has it.
    package enum Content: Sendable {
        case signing(SigningKey)
        case verifying(PublicKey)

        /// The public key.
        package var publicKey: PublicKey {
            switch self {
            case .signing(let key): key.publicKey
            case .verifying(let key): key
            }
        }

        /// The private key, if the file has it.
        package var signingKey: SigningKey? {
            guard case .signing(let key) = self else { return nil }
            return key
        }
    }

    /// Returns the path of the public key beside a private key.
    package static func publicPath(of path: String) -> String { path + ".pub" }

    /// Writes a new private key with mode 0600, and its public key beside it. The files are on the device when this
    /// method returns. Existing files are not replaced.
    /// - Throws: ``PublishingError`` with code `exists` or `io`.
    package static func create(_ key: SigningKey, at path: String) throws(PublishingError) {
        try create(Data(key.pem.utf8), at: path, mode: 0o600)
        do {
            try create(key.publicKey.value.document, at: publicPath(of: path), mode: 0o644)
        } catch {
            unlink(path)
            throw error
        }
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        try? DirectoryDescriptor(path: name.map { String(path[...$0]) } ?? ".").sync()
    }

    private static func create(_ bytes: Data, at path: String, mode: UInt32) throws(PublishingError) {
        do {
            let file = try FileIO.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
            do {
                defer { close(file) }
                try bytes.withUnsafeBytes { try FileIO.write($0, to: file) }
                try FileIO.sync(file)
            } catch {
                unlink(path)
                throw error
            }
        } catch let error as SystemError where error.number == EEXIST {
            throw PublishingError(.exists, "the file exists and is not replaced", at: path)
        } catch let error as SystemError {
            throw PublishingError(.io, "\(error)", at: path)
        } catch {
            throw PublishingError(.io, "\(error)", at: path)
        }
    }

    /// Reads a private key, or a public key as a JSON object.
    /// - Throws: ``PublishingError`` with code `noInput`, `badKey` or `io`.
    package static func read(_ path: String) throws(PublishingError) -> Content {
        guard let bytes = try FileBytes.read(path, maxBytes: SigningKey.maxBytes) else {
            throw PublishingError(.noInput, "no such key", at: path)
        }
        if let key = SigningKey(pem: String(decoding: bytes, as: UTF8.self)) { return .signing(key) }
        guard let value = try? JSONValue(decoding: bytes, at: path) else {
            throw PublishingError(
                .badKey, "no Ed25519, P-256 or P-384 key without encryption: encrypted and RSA keys are not supported",
                at: path)
        }
        return .verifying(try PublicKey(value, at: path))
    }
}

/// The content of files.
package enum FileBytes {
    /// Returns the bytes of a regular file, or `nil` if it does not exist.
    /// - Throws: ``PublishingError`` with code `io`, or `badMetadata` if the file has more bytes than the limit.
    static func read(_ path: String, maxBytes: Int) throws(PublishingError) -> Data? {
        let bytes = try prefix(of: path, maxBytes + 1)
        guard bytes?.count ?? 0 <= maxBytes else {
            throw PublishingError(.badMetadata, "more than \(maxBytes) bytes", at: path)
        }
        return bytes
    }

    /// Returns at most `count` bytes from the start of a regular file, or `nil` if it does not exist.
    /// - Throws: ``PublishingError`` with code `io`.
    package static func prefix(of path: String, _ count: Int) throws(PublishingError) -> Data? {
        do {
            // A named pipe would block without the flag.
            let file = try FileIO.open(path, O_RDONLY | O_NONBLOCK)
            defer { close(file) }
            let status = try FileStatus(descriptor: file, path: path)
            guard status.kind == .file else { throw PublishingError(.io, "not a regular file", at: path) }
            var data = Data(count: Int(min(status.size, Int64(count))))
            let count = try data.withUnsafeMutableBytes { try FileIO.fill($0, from: file, at: 0) }
            return data.prefix(count)
        } catch let error as SystemError {
            if error.number == ENOENT || error.number == ENOTDIR { return nil }
            throw PublishingError(.io, "\(error)", at: path)
        } catch let error as PublishingError {
            throw error
        } catch {
            throw PublishingError(.io, "\(error)", at: path)
        }
    }
}
