// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import WebSyntax

/// The combination of two stored parts of one representation (RFC 9111, section 3.4).
struct PartMerge {
    /// The combined response.
    let merged: StoredResponse
    /// The bytes of the old part that precede and follow the bytes of the new part. Each range may be empty.
    let before: Range<Int64>
    let after: Range<Int64>

    /// Creates the combination of two parts.
    /// - Parameters:
    ///   - old: The stored response.
    ///   - new: A part of the same variant that is being received.
    /// - Returns: `nil` if no strong validator shows that both parts belong to one representation, or if there is a
    ///   gap between the parts.
    init?(of old: StoredResponse, with new: StoredResponse) {
        guard new.head.status == .partialContent, old.head.status == .partialContent || old.head.status == .ok,
            let tag = new.entityTag, let other = old.entityTag, tag.matchesStrongly(other),
            old.length == nil || new.length == nil || old.length == new.length,
            old.range.lowerBound <= new.range.upperBound, new.range.lowerBound <= old.range.upperBound
        else { return nil }
        before = min(old.range.lowerBound, new.range.lowerBound)..<new.range.lowerBound
        after = new.range.upperBound..<max(old.range.upperBound, new.range.upperBound)
        let range = before.lowerBound..<after.upperBound
        let length = new.length ?? old.length
        var head = new.head
        // Fields of the new part replace those of the old part. Other fields of the old part stay.
        for field in old.head.headerFields where !new.head.headerFields.contains(field.name) {
            head.headerFields.append(field)
        }
        let isComplete = range.lowerBound == 0 && range.upperBound == length
        head.status = isComplete ? .ok : .partialContent
        head.headerFields[.contentRange] = isComplete ? nil : ContentRange.part(range, total: length).description
        head.headerFields[.contentLength] = String(range.count)
        merged = StoredResponse(
            head: head, selectors: new.selectors, requestTime: new.requestTime, responseTime: new.responseTime,
            range: range, length: length)
    }
}
