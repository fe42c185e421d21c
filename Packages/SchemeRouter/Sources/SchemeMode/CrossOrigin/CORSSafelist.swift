// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import WebSyntax

/// The CORS safelists: requests that need no preflight, and response fields that are always readable.
///
/// Sources: Fetch, sections 2.2.1 (methods) and 2.2.2 (CORS-safelisted and forbidden request-headers, CORS-safelisted
/// response-header names).
enum CORSSafelist {
    /// The response fields that are readable without `Access-Control-Expose-Headers`.
    static let answerNames: Set = [
        "cache-control", "content-language", "content-length", "content-type", "expires", "last-modified", "pragma",
    ]

    /// The maximum size in bytes of one safelisted value, and of all safelisted values together.
    private static let maxValue = 128
    private static let maxTotal = 1_024

    static func contains(_ method: HTTPRequest.Method) -> Bool {
        [.get, .head, .post].contains(method)
    }

    /// Returns the names of the fields that need permission, in lower case, sorted and unique.
    static func unsafeNames(in fields: HTTPFields) -> [String] {
        var unsafe: Set<String> = []
        var safe: Set<String> = []
        var total = 0
        let isEventStream = fields[.accept] == "text/event-stream"
        for field in fields where !isEngines(field, isEventStream) {
            let name = field.name.canonicalName
            if isSafe(name, field.value) {
                safe.insert(name)
                total += field.value.utf8.count
            } else {
                unsafe.insert(name)
            }
        }
        if total > maxTotal { unsafe.formUnion(safe) }
        return unsafe.sorted()
    }

    /// Returns a Boolean value that indicates whether a field is forbidden to scripts or added by engines.
    private static func isEngines(_ field: HTTPField, _ isEventStream: Bool) -> Bool {
        let name = field.name.canonicalName
        switch name {
        case "upgrade-insecure-requests", "user-agent": return true
        // The engine's memory cache and a reload add these fields. They cannot be distinguished from the same fields
        // set by a script.
        case "if-none-match", "if-modified-since": return true
        case "last-event-id": return isEventStream
        case "cache-control": return ["no-cache", "max-age=0"].contains(field.value)
        case "pragma": return field.value == "no-cache"
        default: return ForbiddenRequestFields.contains(name)
        }
    }

    private static func isSafe(_ name: String, _ value: String) -> Bool {
        guard value.utf8.count <= maxValue else { return false }
        switch name {
        case "accept": return !value.utf8.contains(where: isUnsafe)
        case "accept-language", "content-language": return value.utf8.allSatisfy(isLanguage)
        case "content-type":
            let type = MediaType.essence(of: value)
            return !value.utf8.contains(where: isUnsafe)
                && ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"].contains(type)
        case "range": return isSimpleRange(value)
        default: return false
        }
    }

    /// Returns the first languages of an `Accept-Language` value, as many as the safelist allows. Engines add the field
    /// after the CORS check, but this module adds it before the check.
    static func languages(in value: String) -> String? {
        var rest = value[...]
        while rest.utf8.count > maxValue {
            guard let comma = rest.lastIndex(of: ",") else { return nil }
            rest = rest[..<comma]
        }
        return String(rest)
    }

    /// Returns a Boolean value that indicates whether a byte is a CORS-unsafe request-header byte.
    private static func isUnsafe(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x09 || byte == 0x7F || "\"():<>?@[\\]{}".utf8.contains(byte)
    }

    private static func isLanguage(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || " *,-.;=".utf8.contains(byte)
    }

    /// Returns a Boolean value that indicates whether the value consists of `bytes=`, a start, and an optional end not
    /// before the start.
    private static func isSimpleRange(_ value: String) -> Bool {
        guard value.hasPrefix("bytes=") else { return false }
        let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = digits(ends[0]) else { return false }
        return ends[1].isEmpty || digits(ends[1]).map { $0 >= first } ?? false
    }

    private static func digits(_ text: Substring) -> UInt64? {
        UInt64(decimalDigits: text.utf8)
    }
}
