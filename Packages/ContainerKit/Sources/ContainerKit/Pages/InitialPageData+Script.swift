// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebEngine

extension InitialPageData {
    /// What sets the values, at a document's start.
    /// - Parameter places: the origin as documents of it see it: the real one, and that of the page's mode.
    func script(at places: Set<String>) -> UserScript {
        UserScript(
            """
            (() => {
                const place = location.protocol + '//' + location.host;
                if (self.origin === 'null' || ![\(places.sorted().map(Self.literal).joined(separator: ", "))].includes(place)) return;
                const { localStorage: entries, globals } = JSON.parse(\(Self.literal(json)));
                for (const key of Object.keys(entries)) {
                    // Full, or forbidden: the page is told as by its own calls, which fail too.
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

    /// A text as a script's literal. As a text, and not as an object literal, in which `__proto__` means something else.
    static func literal(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A text has a form in JSON always.
        let json = (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
        // Line ends in scripts of older engines.
        return json.replacing("\u{2028}", with: "\\u2028").replacing("\u{2029}", with: "\\u2029")
    }
}
