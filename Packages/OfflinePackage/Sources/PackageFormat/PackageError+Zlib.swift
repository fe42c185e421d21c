// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport
internal import ZlibStreams

extension PackageError {
    fileprivate init(_ error: ZlibError, at name: String? = nil) {
        switch error {
        case .noMemory: self.init(.io, "zlib has no memory", at: name)
        case .needsDictionary: self.init(.damaged, "compressed data needs a dictionary", at: name)
        case .damaged(let reason):
            let reason = reason.map { $0.printable(limit: 200) } ?? "compressed data is not valid"
            self.init(.damaged, reason, at: name)
        }
    }
}

extension ZlibInflater {
    /// Creates an inflater.
    /// - Throws: ``PackageError`` with code ``PackageError/Code-swift.struct/io``.
    static func make(_ format: ZlibFormat) throws -> ZlibInflater {
        do {
            return try ZlibInflater(format)
        } catch {
            throw PackageError(error)
        }
    }

    /// Inflates as `inflate(_:into:)` does.
    /// - Throws: ``PackageError`` with code ``PackageError/Code-swift.struct/damaged``.
    func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, name: String
    ) throws -> (consumed: Int, produced: Int) {
        do {
            return try inflate(input, into: output)
        } catch {
            throw PackageError(error, at: name)
        }
    }
}
