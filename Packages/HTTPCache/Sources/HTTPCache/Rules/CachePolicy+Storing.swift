// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

extension CachePolicy {
    /// What of a response may be stored (RFC 9111, section 3), so that it can be of use later.
    ///
    /// - Parameters:
    ///   - response: the head of the response.
    ///   - request: the request that it answers.
    ///   - requestTime: the time at which the request was sent.
    ///   - responseTime: the time at which the head of the response came.
    ///   - length: how many bytes the body has, where that is known. The range of a complete response whose length is
    ///     not known ends where its body will.
    /// - Returns: `nil` where it must not be stored, or would never answer. Its range is that of all bytes announced;
    ///   see ``CachePolicy/completed(_:received:)``.
    public func storable(
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

    /// A response whose body has ended: as stored, where exactly the bytes came that were announced.
    /// - Parameters:
    ///   - response: the response as ``storable(_:to:requestTime:responseTime:length:)`` returned it.
    ///   - count: the number of bytes of the body that came.
    /// - Returns: `nil` where a body was cut short or is too long: it must not be taken for complete.
    public func completed(_ response: StoredResponse, received count: Int64) -> StoredResponse? {
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
        // They answer a range or a condition, and would answer every other request for the URL.
        guard response.status != .rangeNotSatisfiable, response.status != .preconditionFailed else { return false }
        switch request.method {
        case .get: break
        case .post:
            // RFC 9110, section 9.3.3.
            guard hasExplicitLifetime(response, control), response.status.kind == .successful,
                let location = response.headerFields[.contentLocation],
                URLReference.resolve(location, against: request.urlText) == request.urlText
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
            // Section 3.5.
            guard control.isPublic || control.mustRevalidate || control.sharedMaxAge != nil else { return false }
        }
        // The RFC lets it; without an explicit lifetime nobody has said that the cookie is for everyone.
        if response.headerFields.contains(.setCookie), !hasExplicitLifetime(response, control) { return false }
        return true
    }

    private func hasExplicitLifetime(_ response: HTTPResponse, _ control: CacheControl) -> Bool {
        control.maxAge != nil || response.headerFields.contains(.expires)
            || (scope == .shared && control.sharedMaxAge != nil)
    }

    /// Whether a response that may be stored says so, or has a status that says so (section 3), and whether it could
    /// answer anything: for a time, after validation, or while the origin fails.
    private func isOfUse(_ response: StoredResponse, _ control: CacheControl) -> Bool {
        guard
            control.isPublic || (scope == .private && control.isPrivate != .none)
                || hasExplicitLifetime(response.head, control)
                || Self.heuristicStatuses.contains(response.head.status.code)
        else { return false }
        if response.hasValidator { return true }
        return control.noCache != .all && (lifetime(of: response).0 > 0 || (control.staleIfError ?? 0) > 0)
    }

    /// Without the fields of one connection (section 3.1) and those that the response keeps from caches.
    func storedFields(of response: HTTPResponse, _ control: CacheControl) -> HTTPFields {
        var dropped = ConnectionFields.names(namedBy: response.headerFields[values: .connection])
        if case .fields(let names) = control.noCache { dropped.formUnion(names) }
        if scope == .shared, case .fields(let names) = control.isPrivate { dropped.formUnion(names) }
        return response.headerFields.filter { !dropped.contains($0.name.canonicalName) }
    }

    /// Which part a `206` carries.
    /// - Returns: `nil` where it does not say, as several parts do not, or where its length says another thing: then
    ///   nobody knows which bytes they are.
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

    /// Statuses whose rules on caching are known here (RFC 9110, section 15).
    private static let understoodStatuses: Set<Int> = [
        200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408,
        409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 500, 501, 502, 503, 504, 505,
    ]
}
