// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import ResourceTable
internal import WebEngine

extension Container {
    /// Waits for the first response of the resource table's server, unless a table is stored from an earlier launch.
    ///
    /// Call the method immediately after the container is created, because the container then requests the table.
    /// - Parameter url: The URL of the table.
    /// - Throws: `CommandError` with the code of a `TableError` if the response contains no valid table, or
    ///   ``EngineError`` with code `timedOut`.
    func waitForTable(at url: TableURL) async throws {
        guard tableVersion == nil else { return }
        let events = self.events
        // There is no mirror, so the wait covers one response, including its redirects.
        let limit = TableLibrary.Configuration(endpoints: TableEndpoints(primary: url)).answerLimit * 2
        let result = try await withLimit(limit, "the resource table did not arrive") {
            for await case .tableChecked(_, let result) in events { return result }
            throw CancellationError()
        }
        switch result {
        case .failed(let error):
            throw CommandError(.unavailable, code: "\(error.code)", error.message, at: url.description)
        case .offline: throw CommandError(.unavailable, code: "offline", "no network", at: url.description)
        default: break
        }
    }
}
