// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

extension CachePolicy {
    /// Returns the storable form of a response, or `nil` if it must not be stored (RFC 9111, section 3) or could never
    /// be reused.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - request: The request that the response belongs to.
    ///   - requestTime: The time at which the request was sent.
    ///   - responseTime: The time at which the head of the response was received.
    ///   - length: The number of bytes in the body, if known. If it is unknown, the range of a complete response is
    ///     empty until ``CachePolicy/completed(_:received:)``.
    /// - Returns: A response whose range covers all announced bytes.
    func storable(
        _ response: HTTPResponse, to request: HTTPRequest, requestTime: Date, responseTime: Date, length: Int64? = nil
    ) -> StoredResponse? {
        let control = CacheControl(response.headerFields[values: .cacheControl])
        guard isStorable(response, control, to: request), let selectors = Vary.selectors(of: response, for: request)
        else { return nil }
        var head = response
        head.headerFields = storedFields(of: response, control)
        let extent: (range: Range<Int64>, length: Int64?)
        if response.status == .partialContent {
            guard let range = Self.contentRange(of: response, length: length) else { return nil }
            extent = range
        } else {
            let length = response.headerFields[.contentLength].flatMap { Int64(decimalDigits: $0.utf8) } ?? length
            extent = (0..<(length ?? 0), length)
        }
        let stored = StoredResponse(
            head: head, selectors: selectors, requestTime: requestTime, responseTime: responseTime,
            range: extent.range, length: extent.length)
        guard isOfUse(stored, control) else { return nil }
        return stored
    }

    /// Returns the stored form of a response after its body has ended.
    /// - Parameters:
    ///   - response: The response that ``storable(_:to:requestTime:responseTime:length:)`` returned.
    ///   - count: The number of body bytes that were received.
    /// - Returns: `nil` if the body is shorter or longer than announced, because it is then not complete.
    func completed(_ response: StoredResponse, received count: Int64) -> StoredResponse? {
        if response.head.status == .partialContent || response.length != nil {
            return Int64(response.range.count) == count ? response : nil
        }
        return StoredResponse(
            head: response.head, selectors: response.selectors, requestTime: response.requestTime,
            responseTime: response.responseTime, range: 0..<count, length: count, revision: response.revision)
    }

    private func isStorable(_ response: HTTPResponse, _ control: CacheControl, to request: HTTPRequest) -> Bool {
        let status = response.status.code
        guard (200...599).contains(status), response.status != .notModified else { return false }
        // These statuses depend on a range or a precondition of one request. Stored, they would be used for other
        // requests.
        guard response.status != .rangeNotSatisfiable, response.status != .preconditionFailed else { return false }
        switch request.method {
        case .get: break
        case .post:
            // RFC 9110, section 9.3.3.
            guard hasExplicitLifetime(response, control), response.status.kind == .successful,
                let location = response.headerFields[.contentLocation],
                Invalidation.resolve(location, against: request.urlText)?.urlText == request.urlText
            else { return false }
        default: return false
        }
        let isUnderstood = Self.understoodStatuses.contains(status)
        if control.mustUnderstand {
            guard isUnderstood else { return false }
        } else if control.noStore {
            return false
        }
        guard !CacheControl(request.headerFields[values: .cacheControl]).noStore else { return false }
        guard scope == .shared else { return true }
        if control.isPrivate == .all { return false }
        if request.headerFields.contains(.authorization) {
            // RFC 9111, section 3.5.
            guard control.isPublic || control.mustRevalidate || control.sharedMaxAge != nil else { return false }
        }
        // Stricter than RFC 9111: without an explicit lifetime the origin has not declared that the cookie is for all
        // users.
        if response.headerFields.contains(.setCookie), !hasExplicitLifetime(response, control) { return false }
        return true
    }

    private func hasExplicitLifetime(_ response: HTTPResponse, _ control: CacheControl) -> Bool {
        control.maxAge != nil || response.headerFields.contains(.expires)
            || (scope == .shared && control.sharedMaxAge != nil)
    }

    /// Returns a Boolean value that indicates whether a response is cacheable by its directives or its status (RFC
    /// 9111, section 3) and can ever be reused: while fresh, after validation, or while the origin fails.
    private func isOfUse(_ response: StoredResponse, _ control: CacheControl) -> Bool {
        guard
            control.isPublic || (scope == .private && control.isPrivate != .none)
                || hasExplicitLifetime(response.head, control)
                || Self.heuristicStatuses.contains(response.head.status.code)
        else { return false }
        if response.hasValidator { return true }
        return control.noCache != .all && (lifetime(of: response).0 > 0 || (control.staleIfError ?? 0) > 0)
    }

    /// Returns the fields to store: all except connection fields (RFC 9111, section 3.1) and fields that `no-cache`
    /// or, in a shared cache, `private` names.
    func storedFields(of response: HTTPResponse, _ control: CacheControl) -> HTTPFields {
        var dropped = ConnectionFields.names(namedBy: response.headerFields[values: .connection])
        if case .fields(let names) = control.noCache { dropped.formUnion(names) }
        if scope == .shared, case .fields(let names) = control.isPrivate { dropped.formUnion(names) }
        return response.headerFields.filter { !dropped.contains($0.name.canonicalName) }
    }

    /// Returns the part that a `206` response carries.
    /// - Returns: `nil` if `Content-Range` is missing or invalid, as in a multipart response, or contradicts the
    ///   length of the body.
    private static func contentRange(
        of response: HTTPResponse, length: Int64?
    ) -> (range: Range<Int64>, length: Int64?)? {
        guard let field = response.headerFields[.contentRange], case .part(let range, let total) = ContentRange(field)
        else { return nil }
        let count = Int64(range.count)
        if let field = response.headerFields[.contentLength], Int64(decimalDigits: field.utf8) != count { return nil }
        if let length, length != count { return nil }
        return (range, total)
    }

    /// The statuses whose caching rules the cache implements (RFC 9110, section 15).
    private static let understoodStatuses: Set<Int> = [
        200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408,
        409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 500, 501, 502, 503, 504, 505,
    ]
}
