// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// What a session does to the requests that it sends itself, and does not, or not everywhere, to those of a protocol.
struct SessionSettings: Sendable, Equatable {
    /// `nil` where the session keeps no cookies.
    let cookies: HTTPCookieStorage?
    let sendsCookies: Bool
    let acceptPolicy: HTTPCookie.AcceptPolicy
    /// Whether the session's answers may be kept beyond it, as they are not of an ephemeral one.
    let keepsAnswers: Bool
    private let cachePolicy: URLRequest.CachePolicy
    /// Added where a request has none of that name.
    private let fields: HTTPFields
    private let timeout: TimeInterval

    init(_ configuration: URLSessionConfiguration) {
        cookies = configuration.httpCookieStorage
        sendsCookies = configuration.httpShouldSetCookies
        acceptPolicy = configuration.httpCookieAcceptPolicy
        keepsAnswers = (configuration.urlCache?.diskCapacity ?? 0) > 0
        cachePolicy = configuration.requestCachePolicy
        timeout = configuration.timeoutIntervalForRequest
        var fields = HTTPFields()
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
            guard let name = HTTPField.Name("\(name)") else { continue }
            fields[name] = "\(value)"
        }
        self.fields = fields
    }

    /// Adds what the session would.
    func complete(_ head: inout HTTPRequest, of request: URLRequest) {
        for field in fields where head.headerFields[field.name] == nil { head.headerFields.append(field) }
        guard head.headerFields[.cacheControl] == nil else { return }
        // RFC 9111, section 5.2.1.
        var directives: [String] = keepsAnswers ? [] : ["no-cache", "no-store"]
        switch request.cachePolicy == .useProtocolCachePolicy ? cachePolicy : request.cachePolicy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData:
            directives = ["no-cache"] + directives.dropFirst()
        case .returnCacheDataElseLoad where keepsAnswers: directives.append("max-stale")
        case .returnCacheDataDontLoad: directives = ["only-if-cached", "max-stale"]
        default: break
        }
        if !directives.isEmpty { head.headerFields[.cacheControl] = directives.joined(separator: ", ") }
    }

    /// The longest silence; `nil` where there is no limit. A request's own counts; 60 s are what it has where nobody said
    /// another.
    func timeout(of request: URLRequest) -> Duration? {
        let seconds = request.timeoutInterval == 60 ? timeout : request.timeoutInterval
        // Far more than any session lives, and far less than a duration holds.
        return seconds > 0 && seconds < 1e9 ? .seconds(seconds) : nil
    }

    static func == (one: Self, other: Self) -> Bool {
        one.cookies === other.cookies && one.sendsCookies == other.sendsCookies
            && one.acceptPolicy == other.acceptPolicy && one.keepsAnswers == other.keepsAnswers
            && one.cachePolicy == other.cachePolicy && one.fields == other.fields && one.timeout == other.timeout
    }
}
