// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import RequestPipeline
internal import ResourceLoading
internal import WebSyntax

/// Values that the app hands to pages of an origin before the first script of theirs runs: keys of `localStorage`, and
/// one global object.
///
/// They reach the documents of a view, not those of frames in them, and no document of another origin, nor one that is
/// sandboxed. Scripts of the page, whoever wrote them, can read and change them.
public struct InitialPageData: Sendable, Hashable {
    /// The global object of a page.
    public struct Global: Sendable, Hashable {
        /// An identifier of ASCII letters, digits, `_` and `$`, up to 64. A page that has something of that name before its
        /// scripts run, such as `location`, keeps that.
        public var name: String
        /// What it holds.
        public var members: [String: InjectedValue]

        /// Names an object of these members.
        public init(_ name: String, _ members: [String: InjectedValue]) {
            self.name = name
            self.members = members
        }
    }

    /// All of a seed together, in bytes of JSON.
    public static let limit = 256 << 10

    /// Whose pages get it.
    let origin: WebOrigin
    private var content: Content

    /// Takes the values.
    /// - Parameters:
    ///   - origin: of the pages, such as `https://shop.example`; the real one, in all modes.
    ///   - localStorage: set at each load of a document, in place of what the page has stored under these keys.
    ///   - global: set at each load of a document.
    /// - Throws: ``ContainerError`` with code `invalidInitialData` for what is no `http` or `https` origin, no
    ///   identifier, a number that is not finite, more than 64 values in each other, or more than ``limit``.
    public init(origin: String, localStorage: [String: String] = [:], global: Global? = nil) throws {
        guard let real = RealURL(origin), let parsed = WebOrigin(url: real.text),
            [parsed.description, parsed.description + "/"].contains(real.text.lowercased())
        else { throw ContainerError(.invalidInitialData, "no origin of http or https", at: origin) }
        if let global {
            guard Self.isIdentifier(global.name) else {
                throw ContainerError(.invalidInitialData, "no name for a global object", at: global.name)
            }
            guard InjectedValue.object(global.members).isSound() else {
                throw ContainerError(.invalidInitialData, "a value that JSON has not, or too deep", at: global.name)
            }
        }
        self.origin = parsed
        content = Content(localStorage: localStorage, globals: global.map { [$0.name: $0.members] } ?? [:])
        guard let size = content.json?.utf8.count else {
            throw ContainerError(.invalidInitialData, "a value that JSON has not", at: origin)
        }
        guard size <= Self.limit else {
            throw ContainerError(.invalidInitialData, "\(size) bytes, limit \(Self.limit)", at: origin)
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

    /// What a script reads.
    var json: String { content.json ?? "{}" }

    /// One for each origin, with the values of all of its own: of two of one name the later.
    static func merged(_ initialData: [InitialPageData]) -> [InitialPageData] {
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

    private static func isIdentifier(_ name: String) -> Bool {
        let isWord = name.utf8.enumerated().allSatisfy { index, byte in
            byte.isASCIILetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
                || byte.isASCIIDigit && index > 0
        }
        return isWord && (1...64).contains(name.utf8.count)
    }
}
