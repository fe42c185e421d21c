// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Facade) package import ResourceLoading
@_spi(Facade) public import WebEngine
internal import WebSyntax

/// Values that the app passes to pages of an origin before the first script of the page runs: entries of `localStorage`
/// and one global object.
///
/// Only the top-level documents of a view with this origin receive the values. Frames, sandboxed documents and
/// documents of other origins do not. All scripts of the page can read and change the values.
public struct InitialPageData: Sendable, Hashable {
    /// The global object of a page.
    public struct Global: Sendable, Hashable {
        /// The name of the object: an identifier of 1 to 64 ASCII letters, digits, `_` and `$`. An existing global with
        /// this name, such as `location`, is not replaced.
        public var name: String
        /// The properties of the object.
        public var members: [String: InjectedValue]

        /// Creates a global object.
        public init(_ name: String, _ members: [String: InjectedValue]) {
            self.name = name
            self.members = members
        }
    }

    /// The maximum size of the values for one origin, in bytes of JSON.
    public static let limit = 256 << 10

    /// The origin of the pages that receive the values.
    package let origin: WebOrigin
    private var content: Content

    /// Creates the values for an origin.
    /// - Parameters:
    ///   - origin: the real origin of the pages in all modes, such as `https://shop.example`.
    ///   - localStorage: the entries, which replace existing entries with the same keys at each load of a document.
    ///   - global: the global object, which is defined at each load of a document.
    /// - Throws: ``PageInterfaceError`` with code `invalidInitialData` if `origin` is not an `http` or `https` origin,
    ///   the name is not an identifier, a number is not finite, values are nested deeper than 64 levels, or the values
    ///   exceed ``limit``.
    public init(origin: String, localStorage: [String: String] = [:], global: Global? = nil) throws {
        guard let real = RealURL(origin), let parsed = WebOrigin(url: real.text),
            [parsed.description, parsed.description + "/"].contains(real.text.asciiLowercased)
        else { throw PageInterfaceError(.invalidInitialData, "not an http or https origin", at: origin) }
        if let global {
            guard PageInterfaceOptions.isIdentifier(global.name) else {
                throw PageInterfaceError(.invalidInitialData, "not a valid name for a global object", at: global.name)
            }
            guard InjectedValue.object(global.members).isSound() else {
                throw PageInterfaceError(.invalidInitialData, "not valid JSON or nested too deeply", at: global.name)
            }
        }
        self.origin = parsed
        content = Content(localStorage: localStorage, globals: global.map { [$0.name: $0.members] } ?? [:])
        guard let size = content.json?.utf8.count else {
            throw PageInterfaceError(.invalidInitialData, "a value is not valid JSON", at: origin)
        }
        guard size <= Self.limit else {
            throw PageInterfaceError(.invalidInitialData, "\(size) bytes, limit \(Self.limit)", at: origin)
        }
    }

    private struct Content: Hashable, Encodable {
        var localStorage: [String: String]
        var globals: [String: [String: InjectedValue]]

        var json: String? {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The values as the JSON text that the script parses.
    var json: String { content.json ?? "{}" }

    /// Returns one value per origin that combines all values of that origin. A later entry replaces an earlier entry
    /// with the same name.
    package static func merged(_ initialData: [InitialPageData]) -> [InitialPageData] {
        var merged: [InitialPageData] = []
        for data in initialData {
            guard let index = merged.firstIndex(where: { $0.origin == data.origin }) else {
                merged.append(data)
                continue
            }
            merged[index].content.localStorage.merge(data.content.localStorage) { $1 }
            merged[index].content.globals.merge(data.content.globals) { $1 }
        }
        return merged
    }
}

extension InitialPageData {
    /// Returns the script that sets the values at the start of a document.
    /// - Parameter places: the possible origins of documents: the real origin, and the origin in the page's mode.
    package func script(at places: Set<String>) -> UserScript {
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

    /// Returns a text as a JavaScript string literal. In an object literal, `__proto__` would have a special meaning.
    static func literal(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // Encoding a string as JSON does not fail.
        let json = (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
        // Older engines treat these characters as line terminators in scripts.
        return json.replacing("\u{2028}", with: "\\u2028").replacing("\u{2029}", with: "\\u2029")
    }
}
