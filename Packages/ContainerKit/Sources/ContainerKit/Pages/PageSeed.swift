// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Values that the app hands to pages of an origin before the first script of theirs runs: keys of `localStorage`, and
/// one global object.
///
/// They reach the documents of a view, not those of frames in them, and no document of another origin, nor one that is
/// sandboxed. Scripts of the page, whoever wrote them, can read and change them.
public struct PageSeed: Sendable, Hashable {
    /// The global object of a page.
    public struct Global: Sendable, Hashable {
        /// An identifier of ASCII letters, digits, `_` and `$`, up to 64. A page that has something of that name before its
        /// scripts run, such as `location`, keeps that.
        public var name: String
        /// What it holds.
        public var members: [String: SeedValue]

        /// Names an object of these members.
        public init(_ name: String, _ members: [String: SeedValue]) {
            self.name = name
            self.members = members
        }
    }

    /// All of a seed together, in bytes of JSON.
    public static let limit = 256 << 10

    /// Whose pages get it.
    let origin: WebOrigin
    /// As a script of JSON's text.
    let json: String

    /// Takes the values.
    /// - Parameters:
    ///   - origin: of the pages, such as `https://shop.example`; the real one, in all modes.
    ///   - localStorage: set at each load of a document, in place of what the page has stored under these keys.
    ///   - global: set at each load of a document.
    /// - Throws: ``ContainerError`` with code `invalidSeed` for what is no `http` or `https` origin, no identifier, a number
    ///   that is not finite, more than 64 values in each other, or more than ``limit``.
    public init(origin: String, localStorage: [String: String] = [:], global: Global? = nil) throws {
        guard let real = RealURL(origin), let parsed = WebOrigin(url: real.text),
            [parsed.description, parsed.description + "/"].contains(origin.lowercased())
        else { throw ContainerError(.invalidSeed, "no origin of http or https", at: origin) }
        if let global {
            guard Self.isIdentifier(global.name) else {
                throw ContainerError(.invalidSeed, "no name for a global object", at: global.name)
            }
            guard SeedValue.object(global.members).isSound() else {
                throw ContainerError(.invalidSeed, "a value that JSON has not, or too deep", at: global.name)
            }
        }
        self.origin = parsed
        json = try Self.text(of: Content(localStorage: localStorage, name: global?.name, global: global?.members))
    }

    private struct Content: Encodable {
        let localStorage: [String: String]
        let name: String?
        let global: [String: SeedValue]?
    }

    private static func text(of content: Content) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(content) else {
            throw ContainerError(.invalidSeed, "a value that JSON has not")
        }
        guard data.count <= limit else {
            throw ContainerError(.invalidSeed, "\(data.count) bytes, limit \(limit)")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private static func isIdentifier(_ name: String) -> Bool {
        let isWord = name.utf8.enumerated().allSatisfy { index, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "$"):
                true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
            default: false
            }
        }
        return isWord && (1...64).contains(name.utf8.count)
    }
}
