// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
@_spi(Packaging) import PackageFormat
import Testing

/// Expects a ``PackageError`` with one of the given codes.
func expectRefusal<Result>(
    _ codes: PackageError.Code..., comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Result
) {
    do {
        _ = try body()
        Issue.record(comment ?? "was accepted", sourceLocation: sourceLocation)
    } catch let error as PackageError {
        let isExpected = codes.isEmpty || codes.contains(error.code)
        #expect(isExpected, "\(comment.map { "\($0): " } ?? "")\(error)", sourceLocation: sourceLocation)
        #expect(!"\(error)".contains("\n"), comment, sourceLocation: sourceLocation)
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
}

/// Returns the files of an archive with their bytes.
func contents(of archive: String, limits: ArchiveLimits = .default) throws -> [String: Data] {
    var result: [String: Data] = [:]
    try ArchiveReader().read(archive, limits: limits) { entry, reader in
        var data = Data()
        while let chunk = try reader.next() {
            #expect(chunk.count <= 256 << 10 && !chunk.isEmpty)
            data.append(chunk)
        }
        result[entry.path.description] = data
    }
    return result
}
