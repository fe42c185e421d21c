// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The bytes of one blob while they arrive: in memory as long as they are few, then in a file under `staging/`.
enum BlobBuffer: Sendable {
    case memory(Data)
    case file(StagedFile)

    /// Appends bytes.
    /// - Parameters:
    ///   - limit: how many bytes may stay in memory.
    ///   - makeFile: called at most once, when there are more.
    mutating func append(_ chunk: Data, upTo limit: Int, makeFile: () throws -> StagedFile) throws {
        switch self {
        case .file(let file): try file.write(chunk)
        case .memory(var bytes):
            guard bytes.count + chunk.count <= limit else {
                let file = try makeFile()
                try file.write(bytes)
                try file.write(chunk)
                self = .file(file)
                return
            }
            // Copied on purpose: a slice would keep all of the buffer that it was cut from.
            self = .memory(Data())
            bytes.append(chunk)
            self = .memory(bytes)
        }
    }
}
