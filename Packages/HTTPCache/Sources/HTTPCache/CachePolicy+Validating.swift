// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import ResourceLoading

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension CachePolicy {
    /// The request that asks the origin whether a stored response is still right (RFC 9111, section 4.3.1).
    ///
    /// It carries the stored validators beside those of the client's own copies; without any it is the request itself.
    public func validation(of stored: StoredResponse, for request: HTTPRequest) -> HTTPRequest {
        guard stored.hasValidator else { return request }
        var result = request
        let fields = stored.head.headerFields
        if let tag = fields[.eTag] {
            var tags = [tag]
            for other in FieldList.members(of: request.headerFields[values: .ifNoneMatch])
            where other != tag && other != "*" {
                tags.append(String(other))
            }
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
        if let tag = fields[.eTag].flatMap({ EntityTag($0) }) {
            guard let own = stored.entityTag, tag.matchesWeakly(own) else { return nil }
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
        if let length = fields[.contentLength].flatMap({ ByteRange.number($0[...]) }), length != stored.length {
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
        var dropped = Self.connectionFields
        for name in FieldList.members(of: fields[values: .connection]) { dropped.insert(name.lowercased()) }
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
        let tags = FieldList.members(of: fields[values: .ifNoneMatch])
        if !tags.isEmpty {
            if tags.contains("*") { return true }
            guard let own = entityTag else { return false }
            return tags.contains { EntityTag($0)?.matchesWeakly(own) == true }
        }
        guard let text = fields[.ifModifiedSince], let condition = HTTPDate.parse(text, now: responseTime) else {
            return false
        }
        let modified = head.headerFields[.lastModified].flatMap { HTTPDate.parse($0, now: responseTime) }
        return (modified ?? date) <= condition
    }
}
