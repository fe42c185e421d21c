// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// The engine's end of one request on a custom scheme. An adapter implements it, ``SchemeTaskDelivery`` calls it.
///
/// Isolation: the main actor, where the engines live. The caller keeps the legal order.
@MainActor
public protocol SchemeTaskSink: AnyObject {
    /// Hands over the head of the answer.
    /// - Parameters:
    ///   - head: the status and the header fields.
    ///   - length: the number of body bytes, if it is known.
    /// - Throws: when the head cannot be handed over. The engine has heard nothing then, and ``fail(_:)`` follows.
    func receive(_ head: HTTPResponse, length: Int64?) throws

    /// Hands over a head together with its whole body, which lies in memory or in a file, and finishes.
    /// - Throws: when they cannot be handed over. The engine has heard nothing then, and ``fail(_:)`` follows.
    func receive(_ head: HTTPResponse, whole body: WholeBody) throws

    /// Hands over bytes and returns when the engine has room for more.
    /// - Throws: when the engine does not take bytes any more.
    func receive(_ data: Data) async throws

    /// Ends the body.
    func finish()

    /// Ends the task without a whole answer.
    func fail(_ error: ResourceError)
}

/// A body that is there from its first to its last byte.
public enum WholeBody: Sendable {
    case bytes(Data)
    case file(FileSlice)

    /// `nil` for one that is still arriving.
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
