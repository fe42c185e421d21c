// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import WebSyntax

/// Two stored parts of one representation, as one (RFC 9111, section 3.4).
struct PartMerge {
    /// What the stored response becomes.
    let merged: StoredResponse
    /// The bytes of the older one that come before and after those of the newer; either may be empty.
    let before: Range<Int64>
    let after: Range<Int64>

    /// - Parameters:
    ///   - old: stored.
    ///   - new: the same variant, a part that is arriving.
    /// - Returns: `nil` where they need not be of one representation, which only a strong validator says, or leave a gap.
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
        // What the newer says counts; what only the older says stays.
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
