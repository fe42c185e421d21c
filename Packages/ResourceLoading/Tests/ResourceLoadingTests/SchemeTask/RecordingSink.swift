// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading

/// Writes down what an engine would hear.
@MainActor
final class RecordingSink: SchemeTaskSink {
    enum Call: Equatable {
        case head(Int)
        case whole(Int, Int)
        case data(String)
        case finish
        case fail(String)
    }

    private(set) var calls: [Call] = []
    /// Runs inside each delivery, before it returns.
    var onCall: (@MainActor (Call) async -> Void)?
    /// Refuses every head, as where no socket can be made.
    var headError: ResourceError?

    func receive(_ head: HTTPResponse, length: Int64?) throws {
        if let headError { throw headError }
        calls.append(.head(head.status.code))
    }

    func receive(_ head: HTTPResponse, whole body: WholeBody) throws {
        if let headError { throw headError }
        let count =
            switch body {
            case .bytes(let data): data.count
            case .file(let slice): slice.range.count
            }
        calls.append(.whole(head.status.code, count))
    }

    func receive(_ data: Data) async throws {
        let call = Call.data(String(decoding: data, as: UTF8.self))
        calls.append(call)
        await onCall?(call)
    }

    func finish() {
        calls.append(.finish)
    }

    func fail(_ error: ResourceError) {
        calls.append(.fail("\(error.code)"))
    }
}
