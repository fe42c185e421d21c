// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The rules of a cache (RFC 9111, RFC 5861, RFC 8246) as pure functions of requests, stored responses and the time.
public struct CachePolicy: Sendable, Hashable {
    /// Whom a cache serves.
    public enum Scope: Sendable, Hashable {
        /// One user: `private` responses are stored, `s-maxage` and `proxy-revalidate` mean nothing.
        case `private`
        /// Many users, such as a reverse proxy.
        case shared
    }

    /// Whom the cache serves. Default: private.
    public var scope: Scope
    /// The lifetime of a response that says none, as a part of the time since it was last modified. Default: 0.1.
    public var heuristicFraction: Double
    /// The longest lifetime that is guessed, in seconds. Default: a week.
    public var heuristicLimit: TimeInterval
    /// Whether a stale response answers when the origin cannot be reached, where the response does not forbid it.
    /// Default: true.
    public var answersStaleWhenUnreachable: Bool

    public init(
        scope: Scope = .private, heuristicFraction: Double = 0.1, heuristicLimit: TimeInterval = 7 * 86_400,
        answersStaleWhenUnreachable: Bool = true
    ) {
        self.scope = scope
        self.heuristicFraction = heuristicFraction
        self.heuristicLimit = heuristicLimit
        self.answersStaleWhenUnreachable = answersStaleWhenUnreachable
    }
}

extension CachePolicy {
    /// The request that asks the origin whether a stored response is still right (RFC 9111, section 4.3.1).
    ///
    /// It carries the stored validators beside those of the client's own copies; without any it is the request itself.
    public func validation(of stored: StoredResponse, for request: HTTPRequest) -> HTTPRequest {
        guard stored.hasValidator else { return request }
        var result = request
        let fields = stored.head.headerFields
        if let tag = fields[.eTag] {
            // As it came: an origin that sends a tag without quotation marks compares it as it is.
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

    /// A stored response with the fields of a `304` about it (sections 3.2 and 4.3.4).
    /// - Returns: `nil` where the answer is about another response than this.
    public func freshened(
        _ stored: StoredResponse, by response: HTTPResponse, requestTime: Date, responseTime: Date
    ) -> StoredResponse? {
        let fields = response.headerFields
        if let text = fields[.eTag], !text.isEmpty {
            if let tag = EntityTag(text) {
                guard let own = stored.entityTag, tag.matchesWeakly(own) else { return nil }
            } else {
                // No entity tag: only the same text can be about the same response.
                guard text == stored.head.headerFields[.eTag] else { return nil }
            }
        } else if let date = fields[.lastModified], let own = stored.head.headerFields[.lastModified] {
            guard date == own else { return nil }
        }
        return updated(stored, with: fields, requestTime: requestTime, responseTime: responseTime)
    }

    /// A stored response with the fields of an answer to HEAD (section 4.3.5).
    /// - Returns: `nil` where the answer shows that the stored response is no longer right.
    public func freshened(
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

    /// Whether a freshened response may stay stored: what came with the `304` may forbid it.
    public func mayKeep(_ stored: StoredResponse) -> Bool {
        let control = stored.cacheControl
        if control.noStore, !control.mustUnderstand { return false }
        return scope == .private || control.isPrivate != .all
    }

    private func updated(
        _ stored: StoredResponse, with fields: HTTPFields, requestTime: Date, responseTime: Date
    ) -> StoredResponse {
        var result = stored
        var head = stored.head
        // The age of what was validated is that of the validation.
        head.headerFields[.age] = nil
        head.headerFields[.date] = HTTPDate.format(responseTime)
        // They were set when they came.
        if scope == .private { head.headerFields[values: .setCookie] = [] }
        var dropped = ConnectionFields.names(namedBy: fields[values: .connection])
        // They describe the stored bytes.
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
    /// Whether a client's own copy, which its conditions name, is what is stored (RFC 9111, section 4.3.2).
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
