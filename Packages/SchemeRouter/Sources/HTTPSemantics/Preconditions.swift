// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The preconditions and the range of a request.
struct Preconditions {
    /// The result of the evaluation (RFC 9110, section 13.2.2).
    enum Outcome: Hashable {
        /// The complete response.
        case whole
        /// The part that the value of `Range` specifies.
        case part(String)
        case notModified
        case failed
    }

    private var ifMatch: String?
    private var ifNoneMatch: String?
    private var ifModifiedSince: String?
    private var ifUnmodifiedSince: String?
    private var ifRange: String?
    private var range: String?

    /// Reads the preconditions and `Range`; returns `nil` if the request has none of these fields, like most requests.
    init?(_ fields: HTTPFields) {
        var isEmpty = true
        for field in fields {
            // The names of all precondition fields begin with `i`, and `Range` with `r`.
            guard let first = field.name.canonicalName.utf8.first,
                first == UInt8(ascii: "i") || first == UInt8(ascii: "r")
            else { continue }
            switch field.name {
            case .ifMatch: Self.join(field.value, to: &ifMatch)
            case .ifNoneMatch: Self.join(field.value, to: &ifNoneMatch)
            case .ifModifiedSince: Self.join(field.value, to: &ifModifiedSince)
            case .ifUnmodifiedSince: Self.join(field.value, to: &ifUnmodifiedSince)
            case .ifRange: Self.join(field.value, to: &ifRange)
            case .range: Self.join(field.value, to: &range)
            default: continue
            }
            isEmpty = false
        }
        if isEmpty { return nil }
    }

    /// Appends a value to the list that all field lines of one name form (RFC 9110, section 5.3).
    private static func join(_ value: String, to list: inout String?) {
        list = list.map { "\($0), \(value)" } ?? value
    }

    /// Evaluates the preconditions for the current representation, in the order of RFC 9110, section 13.2.2.
    /// - Parameters:
    ///   - tag: The entity tag of the response, if it has one.
    ///   - modified: The `Last-Modified` value of the response, unparsed.
    ///   - isGet: `true` for GET, `false` for HEAD, for which ranges are not defined (RFC 9110, section 14.2).
    ///   - now: The current time, which determines the century of a two-digit year.
    func outcome(tag: EntityTag?, modified: String?, isGet: Bool, now: Date = Date()) -> Outcome {
        func parse(_ text: String) -> Date? { HTTPDate.parse(text, now: now) }
        let date = modified.flatMap(parse)
        if let ifMatch {
            guard matches(ifMatch, tag, strongly: true) else { return .failed }
        } else if let date, let limit = ifUnmodifiedSince.flatMap(parse), date > limit {
            return .failed
        }
        if let ifNoneMatch {
            if matches(ifNoneMatch, tag, strongly: false) { return .notModified }
        } else if let date, let limit = ifModifiedSince.flatMap(parse), date <= limit {
            return .notModified
        }
        guard isGet, let range, isRangeStillGood(tag: tag, modified: modified, now: now) else { return .whole }
        return .part(range)
    }

    private func matches(_ list: String, _ tag: EntityTag?, strongly: Bool) -> Bool {
        // A representation exists, so `*` matches.
        if list.trimmingFieldWhitespace == "*" { return true }
        guard let tag else { return false }
        return EntityTag.list(list).contains { strongly ? $0.matchesStrongly(tag) : $0.matchesWeakly(tag) }
    }

    /// Returns a Boolean value that indicates whether `If-Range` is absent or matches (RFC 9110, section 13.1.5). It
    /// matches an equal strong tag, or exactly the date of the response.
    private func isRangeStillGood(tag: EntityTag?, modified: String?, now: Date) -> Bool {
        guard let ifRange else { return true }
        let text = ifRange.trimmingFieldWhitespace
        if let requestedTag = EntityTag(text) { return tag.map(requestedTag.matchesStrongly) ?? false }
        return modified.map { $0 == text && HTTPDate.parse(text, now: now) != nil } ?? false
    }
}
