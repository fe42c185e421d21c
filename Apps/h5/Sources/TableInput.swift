// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import ResourceTable

/// Functions that read tables from files.
enum TableInput {
    /// Reads and decodes a server response, up to the size limit. Entries that cannot be used are reported on standard
    /// error.
    /// - Parameter path: The path of a file or a pipe, or `-` for standard input.
    /// - Throws: ``CommandError``.
    static func answer(_ path: String) throws -> TableAnswer {
        let limits = TableLimits.default
        let data = try read(path, upTo: limits.maxBytes + 1)
        do {
            let answer = try TableAnswer(decoding: data, limits: limits)
            if case .table(let table) = answer, let fault = table.firstFault {
                let entries =
                    table.invalidCount == 1
                    ? "1 entry of \(path) cannot be used and is left out: "
                    : "\(table.invalidCount) entries of \(path) cannot be used and are left out, the first: "
                CommandOutput.log("note: " + entries + text(of: fault))
            }
            return answer
        } catch let error as TableError {
            throw CommandError(.badInput, code: "\(error.code)", text(of: error), at: path)
        }
    }

    private static func text(of error: TableError) -> String {
        error.location.map { "\(error.message), at \($0)" } ?? error.message
    }

    /// Reads a response that must contain a table.
    /// - Throws: ``CommandError``.
    static func table(_ path: String) throws -> URLTable {
        guard case .table(let table) = try answer(path) else {
            throw CommandError(.badInput, code: "bad-table", "the response contains no table", at: path)
        }
        return table
    }

    /// Reads a file up to a limit.
    /// - Parameter path: The path of a file or a pipe, or `-` for standard input.
    /// - Throws: ``CommandError``.
    static func read(_ path: String, upTo limit: Int) throws -> Data {
        do {
            let file =
                path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            var data = Data()
            while data.count < limit, let chunk = try file.read(upToCount: min(1 << 20, limit - data.count)),
                !chunk.isEmpty
            {
                data.append(chunk)
            }
            return data
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            throw CommandError(.noInput, code: "no-input", "no such file", at: path)
        } catch {
            throw CommandError(.io, code: "io", "the file cannot be read", at: path)
        }
    }
}
