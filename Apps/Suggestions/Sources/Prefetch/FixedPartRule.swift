// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebSyntax

/// Says whether names and values may be written into a table that others get, and still be right tomorrow.
struct FixedPartRule: Sendable {
    private let now: Double
    /// Days of the calendar about now, as `2026-01-31` and `20260131`.
    private let days: [String]
    /// Whether values were seen to stay the same. Where not, what looks as if it changes counts as changing.
    private let isRepeated: Bool

    init(now: Date, isRepeated: Bool) {
        self.now = now.timeIntervalSince1970
        self.isRepeated = isRepeated
        // The page may live a day before or behind.
        let dashed = [-86_400.0, 0, 86_400].map {
            now.addingTimeInterval($0).formatted(.iso8601.year().month().day())
        }
        days = dashed + dashed.map { $0.filter { $0 != "-" } }
    }

    /// Why they may not; `nil` where nothing speaks against it. Values are never told.
    func fault(of part: FixedPart) -> String? {
        for item in part.items {
            let shown = item.name.isEmpty ? "a value" : item.name
            if let fault = fault(of: item) { return "\(shown) \(fault)" }
            // Names that lie deeper may be values as well.
            if let fault = faultInside(of: item) { return "\(shown) holds a value that \(fault)" }
        }
        for item in part.labelled {
            if let fault = fault(of: item) ?? faultInside(of: item) { return "a value \(fault)" }
        }
        return nil
    }

    /// As ``fault(of:)-(FixedPart)``, of a path.
    func fault(ofPath path: String) -> String? {
        for segment in PathPart(path).segments {
            if let fault = fault(of: segment) { return "a part of its path \(fault)" }
        }
        return nil
    }

    /// A path without what must not be told.
    func shown(path: String) -> String {
        PathPart(path).segments.map { fault(of: $0) == nil ? $0.raw : "…" }.joined(separator: "/")
    }

    private func faultInside(of item: FixedPart.Item) -> String? {
        let nested = NestedItems(in: item)
        let fault = nested.items.lazy.compactMap { self.fault(of: $0) }.first
        return fault ?? (nested.isWhole ? nil : "cannot be read to its end")
    }

    private func fault(of segment: PathPart.Segment) -> String? {
        let item = FixedPart.Item(name: segment.name, value: segment.text)
        if !segment.text.isEmpty, segment.isOpaque || isSecret(item) { return "may be a secret" }
        // `/mobile/list` names nobody.
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
        // A JSON Web Token (RFC 7519, encrypted ones too) begins with an object in base64url.
        let isToken = item.value.hasPrefix("eyJ") && item.value.utf8.count(where: { $0 == UInt8(ascii: ".") }) >= 2
        return isToken || Self.secrets.contains(name) || Self.secretParts.contains { name.contains($0) }
    }

    private func isPersonal(_ item: FixedPart.Item) -> Bool {
        Self.personal.contains(Self.bare(item.name)) || item.value.contains("@") && item.value.contains(".")
    }

    /// Seconds, milliseconds or microseconds since 1970 of these days, or their dates.
    private func isMoment(_ value: String) -> Bool {
        if days.contains(where: { value.contains($0) }) { return true }
        let whole = value.prefix { $0 != "." }
        let scales = [10: 1.0, 13: 1e3, 16: 1e6]
        guard let scale = scales[whole.utf8.count], let number = Double(value), number.isFinite else { return false }
        return abs(number / scale - now) < 2 * 86_400
    }

    /// What is made anew each time, by its name or its look.
    private func isPassing(_ item: FixedPart.Item) -> Bool {
        if item.name == "_" || Self.passing.contains(Self.bare(item.name)) { return true }
        let value = item.value.utf8
        let digits = item.value.filter { $0 != "-" }.utf8
        let isHexadecimal = digits.count >= 16 && digits.allSatisfy { $0.hexDigitValue != nil }
        let isFraction = item.value.hasPrefix("0.") && value.count >= 10 && Double(item.value) != nil
        return isHexadecimal || isFraction
    }

    /// A name without case and signs.
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
