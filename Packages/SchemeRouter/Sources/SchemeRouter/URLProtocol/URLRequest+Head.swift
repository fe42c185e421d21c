// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLRequest {
    /// The method, URL and header fields; `nil` if the request is not an HTTP request.
    var head: HTTPRequest? {
        guard let text = url?.absoluteString, let method = HTTPRequest.Method(httpMethod ?? "GET"),
            var head = HTTPRequest(method: method, urlText: text), ["http", "https"].contains(head.scheme ?? "")
        else { return nil }
        for (name, value) in allHTTPHeaderFields ?? [:] {
            guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { return nil }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        return head
    }
}
