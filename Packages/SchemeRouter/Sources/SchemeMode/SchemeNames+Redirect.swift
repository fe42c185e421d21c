// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

extension SchemeNames {
    /// Reads an answer's head, as `Redirect` does, also where it leads to a name: a page hands its own URL on, as to be
    /// brought back there once its user has signed in, and knows it by its name.
    /// - Throws: `ResourceError` with code `invalidRequest`, as `Redirect` does.
    public func redirect(of head: HTTPResponse, to request: HTTPRequest) throws -> Redirect? {
        guard let real = head.headerFields[.location].flatMap(realURL(of:)) else {
            return try Redirect(of: head, to: request)
        }
        var head = head
        head.headerFields[.location] = real
        return try Redirect(of: head, to: request)
    }
}
