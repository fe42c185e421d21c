// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebSyntax

/// The rules that decide if names and values may be part of a table that is shared and used later.
struct FixedPartRule: Sendable {
    private let now: Double
    /// Yesterday, today and tomorrow, as `2026-01-31` and `20260131`.
    private let days: [String]
    /// A Boolean value that indicates whether several runs confirm that values stay the same. If not, a value that
    /// looks variable is rejected.
    private let isRepeated: Bool

    init(now: Date, isRepeated: Bool) {
        self.now = now.timeIntervalSince1970
        self.isRepeated = isRepeated
        // The page may use the date of another time zone.
        let dashed = [-86_400.0, 0, 86_400].map {
            now.addingTimeInterval($0).formatted(.iso8601.year().month().day())
        }
        days = dashed + dashed.map { $0.filter { $0 != "-" } }
    }

    /// Returns the reason to reject the part, or `nil`. The reason contains no values.
    func fault(of part: FixedPart) -> String? {
        for item in part.items {
            let shown = item.name.isEmpty ? "a value" : item.name
            if let fault = fault(of: item) { return "\(shown) \(fault)" }
            // Nested names may also be values.
            if let fault = faultInside(of: item) { return "\(shown) holds a value that \(fault)" }
        }
        for item in part.labelled {
            if let fault = fault(of: item) ?? faultInside(of: item) { return "a value \(fault)" }
        }
        return nil
    }

    /// Returns the reason to reject a path, or `nil`.
    func fault(ofPath path: String) -> String? {
        for segment in PathPart(path).segments {
            if let fault = fault(of: segment) { return "a part of its path \(fault)" }
        }
        return nil
    }

    /// Returns the path with the rejected segments replaced by `…`.
    func shown(path: String) -> String {
        PathPart(path).segments.map { fault(of: $0) == nil ? $0.raw : "…" }.joined(separator: "/")
    }

    private func faultInside(of item: FixedPart.Item) -> String? {
        let nested = NestedItems(in: item)
        let fault = nested.items.lazy.compactMap { self.fault(of: $0) }.first
        return fault ?? (nested.isWhole ? nil : "cannot be decoded completely")
    }

    private func fault(of segment: PathPart.Segment) -> String? {
        let item = FixedPart.Item(name: segment.name, value: segment.text)
        if !segment.text.isEmpty, segment.isOpaque || isSecret(item) { return "may be a secret" }
        // A segment without a digit, such as the last one of `/mobile/list`, does not identify a person.
        let isNumbered = segment.text.contains { $0.isNumber }
        let rest = FixedPart.Item(name: isNumbered ? segment.name : "", value: segment.text)
        return fault(of: rest) ?? faultInside(of: FixedPart.Item(name: "", value: segment.text))
    }

    private func fault(of item: FixedPart.Item) -> String? {
        if isSecret(item) { return "may be a secret" }
        if isPersonal(item) { return "may name a person or a device" }
        if isMoment(item.value) { return "is a moment in time" }
        if !isRepeated, isPassing(item) { return "may differ from run to run" }
        return nil
    }

    private func isSecret(_ item: FixedPart.Item) -> Bool {
        let name = Self.bare(item.name)
        // A JSON Web Token (RFC 7519) begins with a base64url-encoded JSON object, also if it is encrypted.
        let isToken = item.value.hasPrefix("eyJ") && item.value.utf8.count(where: { $0 == UInt8(ascii: ".") }) >= 2
        return isToken || Self.secrets.contains(name) || Self.secretParts.contains { name.contains($0) }
    }

    private func isPersonal(_ item: FixedPart.Item) -> Bool {
        Self.personal.contains(Self.bare(item.name)) || item.value.contains("@") && item.value.contains(".")
    }

    /// Returns a Boolean value that indicates whether the value is a current time in seconds, milliseconds or
    /// microseconds since 1970, or contains a current date.
    private func isMoment(_ value: String) -> Bool {
        if days.contains(where: { value.contains($0) }) { return true }
        let whole = value.prefix { $0 != "." }
        let scales = [10: 1.0, 13: 1e3, 16: 1e6]
        guard let scale = scales[whole.utf8.count], let number = Double(value), number.isFinite else { return false }
        return abs(number / scale - now) < 2 * 86_400
    }

    /// Returns a Boolean value that indicates whether the name or the format suggests a value that is generated for
    /// each request.
    private func isPassing(_ item: FixedPart.Item) -> Bool {
        if item.name == "_" || Self.passing.contains(Self.bare(item.name)) { return true }
        let value = item.value.utf8
        let digits = item.value.filter { $0 != "-" }.utf8
        let isHexadecimal = digits.count >= 16 && digits.allSatisfy { $0.hexDigitValue != nil }
        let isFraction = item.value.hasPrefix("0.") && value.count >= 10 && Double(item.value) != nil
        return isHexadecimal || isFraction
    }

    /// Returns the name in lower case, without punctuation.
    private static func bare(_ name: String) -> String {
        name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private static let secrets: Set<String> = [
        "auth", "cookie", "key", "otp", "pin", "pwd", "session", "sid", "sig", "sign", "ticket",
    ]
    private static let secretParts = [
        "apikey", "appkey", "authcode", "authorization", "captcha", "credential", "csrf", "jwt", "passwd", "password",
        "secret", "sessionid", "signature", "token", "xsrf",
    ]
    private static let personal: Set<String> = [
        "account", "accountid", "deviceid", "email", "gaid", "idfa", "imei", "lat", "latitude", "lng", "lon",
        "longitude", "mobile", "oaid", "openid", "phone", "uid", "unionid", "userid", "username", "visitorid",
    ]
    private static let passing: Set<String> = [
        "cachebust", "cachebuster", "callback", "cb", "jsonp", "nonce", "now", "r", "rand", "random", "reqid",
        "requestid", "rnd", "t", "time", "timestamp", "traceid", "ts",
    ]
}
