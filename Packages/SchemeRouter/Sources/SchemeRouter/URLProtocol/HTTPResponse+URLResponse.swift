// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension HTTPResponse {
    /// Returns the head as URLSession represents it: fields with the same name are joined by commas.
    func urlResponse(of url: URL) -> HTTPURLResponse? {
        var fields: [String: String] = [:]
        for name in Set(headerFields.map(\.name)) where !isUnsafe(name) {
            fields[name.rawName] = headerFields[values: name].joined(separator: ", ")
        }
        return HTTPURLResponse(url: url, statusCode: status.code, httpVersion: "HTTP/1.1", headerFields: fields)
    }

    /// Returns a Boolean value that indicates whether a field must be omitted. On Linux, a session handles a 401
    /// response of a protocol itself, and crashes if the challenge has no realm or an unknown scheme.
    private func isUnsafe(_ name: HTTPField.Name) -> Bool {
        #if canImport(FoundationNetworking)
            status == .unauthorized && name == .wwwAuthenticate
        #else
            false
        #endif
    }
}
