// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import ResourceTable
internal import WebEngine

extension Container {
    /// Waits for the answer of the resource table's server, which a container asks as it is made, unless a table is
    /// there from an earlier launch. To be called at once.
    /// - Parameter url: where the table lies.
    /// - Throws: `CommandError` with the code of a `TableError` where there is no table in that answer, or ``EngineError`` with code
    ///   `timedOut`.
    func waitForTable(at url: TableURL) async throws {
        guard tableVersion == nil else { return }
        let events = self.events
        // No mirror is asked, so that one answer is all there is to wait for, redirects included.
        let limit = TableLibrary.Configuration(endpoints: TableEndpoints(primary: url)).answerLimit * 2
        let result = try await withLimit(limit, "the resource table does not come") {
            for await case .tableChecked(_, let result) in events { return result }
            throw CancellationError()
        }
        switch result {
        case .failed(let error):
            throw CommandError(.unavailable, code: "\(error.code)", error.message, at: url.description)
        case .offline: throw CommandError(.unavailable, code: "offline", "there is no network", at: url.description)
        default: break
        }
    }
}
