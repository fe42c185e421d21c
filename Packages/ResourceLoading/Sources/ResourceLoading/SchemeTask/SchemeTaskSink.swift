// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// The engine's side of one request on a custom scheme. An adapter implements it; ``SchemeTaskDelivery`` calls it.
///
/// Isolation: the main actor. The caller makes the calls in the order that `ResponseDeliveryState` defines.
@MainActor
public protocol SchemeTaskSink: AnyObject {
    /// Receives the head of the response.
    /// - Parameters:
    ///   - head: the status and the header fields.
    ///   - length: the number of body bytes, if it is known.
    /// - Throws: an error if the head cannot be delivered. The engine has received nothing, and ``fail(_:)`` follows.
    func receive(_ head: HTTPResponse, length: Int64?) throws

    /// Receives a head together with its whole body in memory or in a file, and finishes.
    /// - Throws: an error if the response cannot be delivered. The engine has received nothing, and ``fail(_:)``
    ///   follows.
    func receive(_ head: HTTPResponse, whole body: WholeBody) throws

    /// Receives a chunk of the body, and returns when the engine can accept more.
    /// - Throws: an error if the engine does not accept more bytes.
    func receive(_ data: Data) async throws

    /// Ends the body.
    func finish()

    /// Ends the task without a complete response.
    func fail(_ error: ResourceError)
}

/// A body that is completely available.
public enum WholeBody: Sendable {
    case bytes(Data)
    case file(FileSlice)

    /// Creates a value from a body. Fails if the body is still arriving.
    public init?(_ body: ResourceBody) {
        switch body {
        case .empty: self = .bytes(Data())
        case .bytes(let data): self = .bytes(data)
        case .file(let slice): self = .file(slice)
        case .stream: return nil
        }
    }

    /// The number of bytes.
    public var length: Int64 {
        switch self {
        case .bytes(let data): Int64(data.count)
        case .file(let slice): Int64(slice.range.count)
        }
    }
}
