// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The settings that a session applies to its own requests. Not all platforms apply them to requests of a protocol.
struct SessionSettings: Sendable, Equatable {
    /// The cookie storage; `nil` if the session stores no cookies.
    let cookies: HTTPCookieStorage?
    let sendsCookies: Bool
    let acceptPolicy: HTTPCookie.AcceptPolicy
    /// A Boolean value that indicates whether responses may be stored beyond the lifetime of the session; `false` for
    /// an ephemeral session.
    let storesResponses: Bool
    private let cachePolicy: URLRequest.CachePolicy
    /// The fields that are added to requests without a field of that name.
    private let fields: HTTPFields
    private let timeout: TimeInterval

    init(_ configuration: URLSessionConfiguration) {
        cookies = configuration.httpCookieStorage
        sendsCookies = configuration.httpShouldSetCookies
        acceptPolicy = configuration.httpCookieAcceptPolicy
        storesResponses = (configuration.urlCache?.diskCapacity ?? 0) > 0
        cachePolicy = configuration.requestCachePolicy
        timeout = configuration.timeoutIntervalForRequest
        var fields = HTTPFields()
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
            guard let name = HTTPField.Name("\(name)") else { continue }
            fields[name] = "\(value)"
        }
        self.fields = fields
    }

    /// Adds the fields that the session would add.
    func complete(_ head: inout HTTPRequest, of request: URLRequest) {
        for field in fields where head.headerFields[field.name] == nil { head.headerFields.append(field) }
        guard head.headerFields[.cacheControl] == nil else { return }
        // RFC 9111, section 5.2.1.
        var directives: [String] = storesResponses ? [] : ["no-cache", "no-store"]
        switch request.cachePolicy == .useProtocolCachePolicy ? cachePolicy : request.cachePolicy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData:
            directives = ["no-cache"] + directives.dropFirst()
        case .returnCacheDataElseLoad where storesResponses: directives.append("max-stale")
        case .returnCacheDataDontLoad: directives = ["only-if-cached", "max-stale"]
        default: break
        }
        if !directives.isEmpty { head.headerFields[.cacheControl] = directives.joined(separator: ", ") }
    }

    /// Returns the maximum time without progress; `nil` if there is no limit. The timeout of the request is used
    /// unless it has the default value of 60 s; then the timeout of the session is used.
    func timeout(of request: URLRequest) -> Duration? {
        let seconds = request.timeoutInterval == 60 ? timeout : request.timeoutInterval
        // The limit of 1e9 s is longer than any session lives, and far below the maximum of `Duration`.
        return seconds > 0 && seconds < 1e9 ? .seconds(seconds) : nil
    }

    static func == (one: Self, other: Self) -> Bool {
        one.cookies === other.cookies && one.sendsCookies == other.sendsCookies
            && one.acceptPolicy == other.acceptPolicy && one.storesResponses == other.storesResponses
            && one.cachePolicy == other.cachePolicy && one.fields == other.fields && one.timeout == other.timeout
    }
}
