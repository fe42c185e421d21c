// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebEngine

extension InitialPageData {
    /// Returns the script that sets the values at the start of a document.
    /// - Parameter places: the possible origins of documents: the real origin, and the origin in the page's mode.
    func script(at places: Set<String>) -> UserScript {
        UserScript(
            """
            (() => {
                const place = location.protocol + '//' + location.host;
                if (self.origin === 'null' || ![\(places.sorted().map(Self.literal).joined(separator: ", "))].includes(place)) return;
                const { localStorage: entries, globals } = JSON.parse(\(Self.literal(json)));
                for (const key of Object.keys(entries)) {
                    // Storage is full or forbidden: the page's own calls fail, too.
                    try { localStorage.setItem(key, entries[key]); } catch { break; }
                }
                for (const name of Object.keys(globals)) {
                    if (name in self) continue;
                    Object.defineProperty(
                        self, name, { value: globals[name], writable: true, enumerable: true, configurable: true });
                }
            })();
            """, at: .documentStart, inAllFrames: false)
    }

    /// Returns a text as a JavaScript string literal. Values are passed as JSON text and not as an object literal, in
    /// which `__proto__` has a special meaning.
    static func literal(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // Encoding a string as JSON does not fail.
        let json = (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
        // Older engines treat these characters as line terminators in scripts.
        return json.replacing("\u{2028}", with: "\\u2028").replacing("\u{2029}", with: "\\u2029")
    }
}
