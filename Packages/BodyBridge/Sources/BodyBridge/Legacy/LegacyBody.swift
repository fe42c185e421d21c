// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

/// What an older page has handed over for a request: taken out of the store once.
public struct LegacyBody: Sendable {
    /// The body.
    public let body: ResourceBody
    /// Header fields, which take the place of the request's own of the same names.
    public let fields: HTTPFields
    /// The type of the body where neither ``fields`` nor the request have one.
    public let contentType: String?

    /// Gives a request its header fields.
    public func complete(_ head: inout HTTPRequest) {
        for field in fields { head.headerFields[field.name] = field.value }
        if head.headerFields[.contentType] == nil, ![.get, .head].contains(head.method) {
            head.headerFields[.contentType] = contentType
        }
        // Of the body that the engine sent, if any.
        head.headerFields[.contentLength] = nil
    }

    /// The body for a request: none by GET and HEAD, as in engines.
    public func body(for method: HTTPRequest.Method) -> ResourceBody {
        [.get, .head].contains(method) ? .empty : body
    }
}
