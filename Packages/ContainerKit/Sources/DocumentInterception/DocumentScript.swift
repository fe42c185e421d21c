// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Facade) internal import SchemeMode

/// The script of a document in the mode `document`. It sends the GET requests that scripts make for held resources to
/// the custom scheme: by `fetch` and `XMLHttpRequest`, by the elements `<script>`, `<img>` and `<link>`, and by
/// dedicated workers, in which it runs too. All other requests are the engine's own: other methods, bodies, `no-cors`,
/// header fields that require a preflight. The source is `Script/src/document.js`.
///
/// Pages see the real URLs: in `src` and `href`, `Response.url` and `XMLHttpRequest.responseURL`. The script also gives
/// the document its referrer, which an engine does not know for a document that it receives as text.
enum DocumentScript {
    private struct Values: Encodable {
        let page: String
        let schemes: [String: String]
        let hashes: [String: String]
        let folders: [String]
        let imports: [String: String]?
        let referrer: String?
    }

    /// Returns the script.
    /// - Parameters:
    ///   - page: the URL of the document.
    ///   - held: the held URLs.
    ///   - places: the URLs of the folders below which modules are imported from the custom scheme; empty if the
    ///     document has an import map of its own, because engines may support one map only.
    ///   - names: the custom schemes.
    ///   - referrer: the `Referer` of the document's request; `nil` if there was none.
    static func source(
        of page: String, held: HeldPaths, importing places: [String], names: SchemeNames, referrer: String?
    ) -> String {
        let imports = Dictionary(places.compactMap { place in names.name(of: place).map { (place, $0) } }) { $1 }
        let values = Values(
            page: String(page.prefix { $0 != "#" }),
            schemes: ["https:": names.secure, "http:": names.insecure], hashes: held.hashes, folders: held.folders,
            imports: imports.isEmpty ? nil : imports, referrer: referrer)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A dictionary of strings can always be encoded.
        let json = (try? encoder.encode(values)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        return "\(DocumentScriptText.function)(\(json));"
    }
}
