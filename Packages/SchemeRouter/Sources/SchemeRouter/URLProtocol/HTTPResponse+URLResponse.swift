// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension HTTPResponse {
    /// The head as URLSession knows it: fields of one name are joined by commas.
    func urlResponse(of url: URL) -> HTTPURLResponse? {
        var fields: [String: String] = [:]
        for name in Set(headerFields.map(\.name)) where !isUnsafe(name) {
            fields[name.rawName] = headerFields[values: name].joined(separator: ", ")
        }
        return HTTPURLResponse(url: url, statusCode: status.code, httpVersion: "HTTP/1.1", headerFields: fields)
    }

    /// On Linux a session answers a 401 of a protocol by itself: it traps over a challenge that names no realm, or a
    /// scheme that it does not know.
    private func isUnsafe(_ name: HTTPField.Name) -> Bool {
        #if canImport(FoundationNetworking)
            status == .unauthorized && name == .wwwAuthenticate
        #else
            false
        #endif
    }
}
