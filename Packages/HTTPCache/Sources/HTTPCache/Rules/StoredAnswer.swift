// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The response that a stored response yields for one request.
struct StoredAnswer: Sendable, Hashable {
    /// The status and the fields, with `Age`.
    let head: HTTPResponse
    /// The bytes of the representation to send; `nil` for none.
    let range: Range<Int64>?

    /// Creates the response to a request.
    /// - Parameters:
    ///   - stored: The stored response.
    ///   - request: A GET or HEAD request that the stored response was selected for.
    ///   - now: The current time, from which `Age` is computed.
    init(_ stored: StoredResponse, to request: HTTPRequest, now: Date) {
        var head = stored.head
        head.headerFields[.age] = String(Int(min(stored.age(now: now), Double(DeltaSeconds.most))))
        if stored.isKnown(to: request) {
            // RFC 9110, section 15.4.5: a `304` response has no fields that describe the body.
            head.status = .notModified
            head.headerFields.removeAll {
                $0.name.canonicalName.hasPrefix("content-") && $0.name != .contentLocation
            }
            self.init(head: head, range: nil)
        } else if let range = stored.part(for: request) {
            head.status = .partialContent
            head.headerFields[.contentRange] = ContentRange.part(range, total: stored.length).description
            head.headerFields[.contentLength] = String(range.count)
            self.init(head: head, range: range)
        } else {
            if ![204, 304].contains(head.status.code) {
                head.headerFields[.contentLength] = String(stored.range.count)
            }
            self.init(head: head, range: request.method == .head ? nil : stored.range)
        }
    }

    private init(head: HTTPResponse, range: Range<Int64>?) {
        self.head = head
        self.range = range
    }
}

extension StoredResponse {
    /// Returns a Boolean value that indicates whether the stored response holds all bytes that a request requires.
    func canAnswer(_ request: HTTPRequest) -> Bool {
        let isOfBytes = head.status == .ok || head.status == .partialContent
        guard isOfBytes, request.method == .get, request.headerFields.contains(.range) else { return isComplete }
        if !allowsPart(to: request) { return isComplete }
        return part(for: request) != nil
    }

    /// Returns the bytes of a range request if all of them are stored (RFC 9111, section 3.3).
    /// - Returns: `nil` if the request has no range or several ranges, or if bytes are missing.
    func part(for request: HTTPRequest) -> Range<Int64>? {
        guard head.status == .ok || head.status == .partialContent, request.method == .get,
            let requestedRange = request.headerFields[.range].flatMap({ ByteRange($0) }), allowsPart(to: request)
        else { return nil }
        let found: Range<Int64>
        if let length {
            guard let range = requestedRange.resolved(in: length) else { return nil }
            found = range
        } else {
            // Without the length of the representation, the range is known only if it has an explicit end.
            guard case .from(let first, through: let last?) = requestedRange, last < .max else { return nil }
            found = first..<(last + 1)
        }
        return range.lowerBound <= found.lowerBound && found.upperBound <= range.upperBound ? found : nil
    }

    /// Returns a Boolean value that indicates whether the `If-Range` condition holds or is absent (RFC 9110, section
    /// 13.1.5).
    private func allowsPart(to request: HTTPRequest) -> Bool {
        guard let condition = request.headerFields[.ifRange] else { return true }
        if condition.contains("\"") {
            guard let tag = EntityTag(condition), let own = entityTag else { return false }
            return tag.matchesStrongly(own)
        }
        guard let text = head.headerFields[.lastModified], text == condition,
            let modified = HTTPDate.parse(text, now: responseTime)
        else { return false }
        // RFC 9110, section 8.8.2.2: a date is a strong validator only if the resource cannot have changed twice in
        // that second.
        return date.timeIntervalSince(modified) >= 1
    }
}
