// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import SystemSupport
internal import WebSyntax

/// The answer in a response of DNS over HTTPS (RFC 8484, section 4.2).
struct DoHResponse: Sendable, Hashable {
    /// The answer.
    let answer: ResolvedAnswer
    /// The time for which the answer is still valid, in seconds; `nil` for an answer that must not be stored.
    let lifetime: UInt32?

    /// Checks a response and parses its body.
    /// - Parameters:
    ///   - head: the head of the response. Redirects must have been followed or refused.
    ///   - body: the whole body; the caller has stopped reading at ``AnswerMessage/Limits/octets``.
    ///   - question: the question of the request.
    /// - Throws: ``NameResolutionError`` with code `badResponse`, or an error of the message.
    init(_ head: HTTPResponse, body: [UInt8], to question: DNSQuestion) throws(NameResolutionError) {
        try Self.check(head, mediaType: DoHRequest.mediaType, for: question.name.description)
        let message = try AnswerMessage(body, to: question)
        answer = try ResolvedAnswer(message, to: question)
        lifetime = Self.lifetime(answer.timeToLive, head.headerFields)
    }

    /// Checks that a response has status 2xx, a media type and no content coding.
    /// - Throws: ``NameResolutionError`` with code `badResponse`.
    static func check(
        _ head: HTTPResponse, mediaType: String, for host: String
    ) throws(NameResolutionError) {
        guard head.status.kind == .successful else {
            throw NameResolutionError(.badResponse, "status \(head.status.code)", at: host)
        }
        let type = head.headerFields[.contentType] ?? ""
        guard MediaType.essence(of: type) == mediaType else {
            throw NameResolutionError(.badResponse, "media type \(type.printable(limit: 80))", at: host)
        }
        let coding = head.headerFields[.contentEncoding] ?? "identity"
        guard coding.utf8.equalsIgnoringCase("identity") else {
            throw NameResolutionError(.badResponse, "content coding \(coding.printable(limit: 80))", at: host)
        }
    }

    /// Returns the time for which an answer is still valid (RFC 8484, section 5.1): the lower value of its time to live
    /// and of `max-age`, without the time that the response was in HTTP caches.
    /// - Returns: `nil` if the answer has no time to live, or if the response has `no-store`.
    static func lifetime(_ timeToLive: UInt32?, _ fields: HTTPFields) -> UInt32? {
        guard var lifetime = timeToLive else { return nil }
        var hasMaxAge = false
        for directive in FieldList.members(of: fields[values: .cacheControl]) {
            let parts = directive.utf8.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if parts[0].equalsIgnoringCase("no-store") { return nil }
            guard parts[0].equalsIgnoringCase("max-age"), parts.count == 2, !hasMaxAge else { continue }
            // RFC 9111, section 4.2.1: the first value counts, and an invalid one makes the response stale.
            hasMaxAge = true
            lifetime = min(lifetime, UInt32(saturatingDecimalDigits: parts[1]) ?? 0)
        }
        // RFC 9111, section 5.1: the first value counts, and an invalid one is ignored.
        let age = FieldList.members(of: fields[values: .age]).first.flatMap { UInt32(saturatingDecimalDigits: $0.utf8) }
        return lifetime - min(lifetime, age ?? 0)
    }
}
