// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// `Content-Disposition` (RFC 6266): whether an answer is to be saved, and as what. A field that cannot be read says nothing.
struct ContentDisposition: Hashable {
    /// Whether the answer is to be saved, and not shown.
    private(set) var isAttachment = false
    /// `filename*` (RFC 8187) where there is one that can be read, or else `filename`. Not to be trusted.
    private(set) var fileName: String?

    /// More than that nobody says.
    private static let lengthLimit = 8_192

    init(_ field: String?) {
        guard let field, field.utf8.count <= Self.lengthLimit else { return }
        let parameters = FieldParameters(field)
        isAttachment = parameters.value.utf8.equalsIgnoringCase("attachment")
        fileName = parameters.rawValue(of: "filename*").flatMap(Self.decoded) ?? parameters["filename"]
    }

    /// `UTF-8''%e2%82%ac.txt`.
    private static func decoded(_ value: Substring) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = PercentEncoding.decode(parts[2].utf8) else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
