// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a `Content-Type` says of its text.
enum MediaType {
    /// Whether it is a text whose `charset` is not said. Types of XML and JSON are none: their documents say it.
    static func isTextWithoutCharset(_ type: String) -> Bool {
        // As most are written.
        if type.hasSuffix(";charset=utf-8") { return false }
        let end = type.utf8.firstIndex(of: UInt8(ascii: ";")) ?? type.endIndex
        let name = type[..<end].lowercased().filter { $0 != " " && $0 != "\t" }
        guard name.hasPrefix("text/") && name != "text/xml" || scripts.contains(name) else { return false }
        return !type[end...].lowercased().split(separator: ";").contains { parameter in
            parameter.drop { $0 == " " || $0 == "\t" }.hasPrefix("charset=")
        }
    }

    private static let scripts: Set = ["application/javascript", "application/x-javascript", "application/ecmascript"]
}
