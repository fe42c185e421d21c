// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading

/// A sink that records its calls.
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
    /// A closure that runs inside each delivery of data, before it returns.
    var onCall: (@MainActor (Call) async -> Void)?
    /// The error that the delivery of every head throws, as if no socket could be created.
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
