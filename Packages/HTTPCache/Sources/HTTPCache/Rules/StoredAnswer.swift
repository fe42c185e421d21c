// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// What a stored response says to one request.
struct StoredAnswer: Sendable, Hashable {
    /// Status and fields, with `Age`.
    let head: HTTPResponse
    /// The bytes of the representation to send; `nil` for none.
    let range: Range<Int64>?

    /// - Parameters:
    ///   - stored: the stored response.
    ///   - request: one that the response was selected for: GET or HEAD.
    ///   - now: the current time, from which `Age` is computed.
    init(_ stored: StoredResponse, to request: HTTPRequest, now: Date) {
        var head = stored.head
        head.headerFields[.age] = String(Int(min(stored.age(now: now), Double(DeltaSeconds.most))))
        if stored.isKnown(to: request) {
            // RFC 9110, section 15.4.5: nothing that describes the bytes.
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
    /// Whether all that a request asks for is held.
    func canAnswer(_ request: HTTPRequest) -> Bool {
        let isOfBytes = head.status == .ok || head.status == .partialContent
        guard isOfBytes, request.method == .get, request.headerFields.contains(.range) else { return isComplete }
        if !allowsPart(to: request) { return isComplete }
        return part(for: request) != nil
    }

    /// The bytes that a request for a range wants, all of which are held (RFC 9111, section 3.3).
    /// - Returns: `nil` where it wants none, several, or others.
    func part(for request: HTTPRequest) -> Range<Int64>? {
        guard head.status == .ok || head.status == .partialContent, request.method == .get,
            let wanted = request.headerFields[.range].flatMap({ ByteRange($0) }), allowsPart(to: request)
        else { return nil }
        let found: Range<Int64>
        if let length {
            guard let range = wanted.resolved(in: length) else { return nil }
            found = range
        } else {
            // Without the length only the end of what is asked for says what it is.
            guard case .from(let first, through: let last?) = wanted, last < .max else { return nil }
            found = first..<(last + 1)
        }
        return range.lowerBound <= found.lowerBound && found.upperBound <= range.upperBound ? found : nil
    }

    /// Whether the condition of `If-Range` holds (RFC 9110, section 13.1.5), or there is none.
    private func allowsPart(to request: HTTPRequest) -> Bool {
        guard let condition = request.headerFields[.ifRange] else { return true }
        if condition.contains("\"") {
            guard let tag = EntityTag(condition), let own = entityTag else { return false }
            return tag.matchesStrongly(own)
        }
        guard let text = head.headerFields[.lastModified], text == condition,
            let modified = HTTPDate.parse(text, now: responseTime)
        else { return false }
        // A date is a strong validator only where the resource cannot have changed twice in that second.
        return date.timeIntervalSince(modified) >= 1
    }
}
