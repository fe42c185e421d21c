// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The rules of a cache (RFC 9111, RFC 5861, RFC 8246) as pure functions of requests, stored responses and the time.
public struct CachePolicy: Sendable, Hashable {
    /// The users that a cache serves.
    public enum Scope: Sendable, Hashable {
        /// One user: `private` responses are stored; `s-maxage` and `proxy-revalidate` are ignored.
        case `private`
        /// Many users, for example in a reverse proxy.
        case shared
    }

    /// The users that the cache serves; private by default.
    public var scope: Scope
    /// A Boolean value that indicates whether a stale response is used if the origin is unreachable and the response
    /// does not forbid it; `true` by default.
    public var answersStaleWhenUnreachable: Bool

    /// Creates a policy.
    public init(scope: Scope = .private, answersStaleWhenUnreachable: Bool = true) {
        self.scope = scope
        self.answersStaleWhenUnreachable = answersStaleWhenUnreachable
    }
}

extension CachePolicy {
    /// Returns the request that validates a stored response at the origin (RFC 9111, section 4.3.1).
    ///
    /// The request carries the stored validators in addition to the client's entity tags. If the stored response has
    /// no validator, the request is unchanged.
    func validation(of stored: StoredResponse, for request: HTTPRequest) -> HTTPRequest {
        guard stored.hasValidator else { return request }
        var result = request
        let fields = stored.head.headerFields
        if let tag = fields[.eTag] {
            // The tag is sent unchanged: an origin that sends a tag without quotation marks expects the same text.
            var tags = [tag]
            let others = EntityTag.list(request.headerFields[values: .ifNoneMatch].joined(separator: ", "))
            for other in others where other != stored.entityTag { tags.append(other.description) }
            result.headerFields[.ifNoneMatch] = tags.joined(separator: ", ")
        } else {
            result.headerFields[.ifNoneMatch] = nil
        }
        result.headerFields[.ifModifiedSince] = fields[.lastModified]
        return result
    }

    /// Returns a stored response with the fields of a `304` response (RFC 9111, sections 3.2 and 4.3.4).
    /// - Returns: `nil` if the `304` response refers to another representation.
    func freshened(
        _ stored: StoredResponse, by response: HTTPResponse, requestTime: Date, responseTime: Date
    ) -> StoredResponse? {
        let fields = response.headerFields
        if let text = fields[.eTag], !text.isEmpty {
            if let tag = EntityTag(text) {
                guard let own = stored.entityTag, tag.matchesWeakly(own) else { return nil }
            } else {
                // An invalid entity tag matches only the same text.
                guard stored.head.headerFields[.eTag].hasSameBytes(as: text) else { return nil }
            }
        } else if let date = fields[.lastModified], let own = stored.head.headerFields[.lastModified] {
            guard date == own else { return nil }
        }
        return updated(stored, with: fields, requestTime: requestTime, responseTime: responseTime)
    }

    /// Returns a stored response with the fields of a response to HEAD (RFC 9111, section 4.3.5).
    /// - Returns: `nil` if the response shows that the stored response is out of date.
    func freshened(
        _ stored: StoredResponse, byHead response: HTTPResponse, requestTime: Date, responseTime: Date
    ) -> StoredResponse? {
        let fields = response.headerFields
        for name in [HTTPField.Name.eTag, .lastModified] {
            if let value = fields[name], value != stored.head.headerFields[name] { return nil }
        }
        if let length = fields[.contentLength].flatMap({ Int64(decimalDigits: $0.utf8) }), length != stored.length {
            return nil
        }
        return updated(stored, with: fields, requestTime: requestTime, responseTime: responseTime)
    }

    /// Returns a Boolean value that indicates whether a freshened response may stay stored. The fields of the `304`
    /// response can forbid it.
    func mayKeep(_ stored: StoredResponse) -> Bool {
        let control = stored.cacheControl
        if control.noStore, !control.mustUnderstand { return false }
        return scope == .private || control.isPrivate != .all
    }

    private func updated(
        _ stored: StoredResponse, with fields: HTTPFields, requestTime: Date, responseTime: Date
    ) -> StoredResponse {
        var result = stored
        var head = stored.head
        // The age of a validated response starts at its validation.
        head.headerFields[.age] = nil
        head.headerFields[.date] = HTTPDate.format(responseTime)
        // The cookies were set when the response was first received.
        if scope == .private { head.headerFields[values: .setCookie] = [] }
        var dropped = ConnectionFields.names(namedBy: fields[values: .connection])
        // These fields describe the stored bytes.
        dropped.formUnion(["content-length", "content-encoding", "content-range"])
        var replaced: Set<String> = []
        for field in fields where !dropped.contains(field.name.canonicalName) {
            if replaced.insert(field.name.canonicalName).inserted { head.headerFields[fields: field.name] = [] }
            head.headerFields.append(field)
        }
        result.head = head
        result.head.headerFields = storedFields(of: head, result.cacheControl)
        result.requestTime = requestTime
        result.responseTime = responseTime
        return result
    }
}

extension StoredResponse {
    /// Returns a Boolean value that indicates whether the stored response matches the client's own copy, which the
    /// preconditions of the request identify (RFC 9111, section 4.3.2).
    func isKnown(to request: HTTPRequest) -> Bool {
        guard head.status == .ok || head.status == .partialContent else { return false }
        let fields = request.headerFields
        if fields.contains(.ifNoneMatch) {
            let list = fields[values: .ifNoneMatch].joined(separator: ", ")
            if list.trimmingFieldWhitespace == "*" { return true }
            guard let own = entityTag else { return false }
            return EntityTag.list(list).contains { $0.matchesWeakly(own) }
        }
        guard let text = fields[.ifModifiedSince], let condition = HTTPDate.parse(text, now: responseTime) else {
            return false
        }
        let modified = head.headerFields[.lastModified].flatMap { HTTPDate.parse($0, now: responseTime) }
        return (modified ?? date) <= condition
    }
}
