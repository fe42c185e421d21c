// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import StrictJSON

/// A catalogue that a server publishes as a JSON document without a signature. Its authenticity is that of `https`.
public struct CatalogueDocument: PackageCataloguing, Hashable {
    public var primaryURL: String
    public var mirrorURL: String?

    /// Creates a source of catalogues.
    /// - Parameters:
    ///   - primaryURL: the absolute `https` URL of the document.
    ///   - mirrorURL: the URL of a copy that is requested after five consecutive errors of the server; none by default.
    public init(_ primaryURL: String, mirrorURL: String? = nil) {
        self.primaryURL = primaryURL
        self.mirrorURL = mirrorURL
    }

    public var signedManifests: (any SignedManifestSource)? { nil }

    public func catalogue(at url: String, load: @escaping DocumentLoading) async throws -> PackageCatalogue {
        guard let json = try await load(url, PackageCatalogue.maxBytes) else {
            throw PackageError(.noInput, "the server does not have the catalogue", at: url)
        }
        return try PackageCatalogue(decoding: json)
    }
}

extension PackageCatalogue {
    /// Decodes a catalogue document. Unknown members are ignored.
    /// - Throws: ``PackageError`` with code `badCatalogue`, `tooLarge` or `tooMany`. Its location is the place in the
    ///   document; the message about malformed JSON names the byte.
    public init(decoding json: Data) throws {
        guard json.count <= Self.maxBytes else {
            throw PackageError(.tooLarge, "\(json.count) bytes, limit \(Self.maxBytes)")
        }
        // A byte order mark is not allowed in JSON that systems exchange (RFC 8259, section 8.1).
        guard json.first.map({ $0 < 0x80 }) ?? false else { throw PackageError(.badCatalogue, "not UTF-8") }
        var limits = JSONScanner.Limits(depth: 8)
        limits.allowsEscapedNames = false
        let document: Document
        do {
            // The decoder would accept duplicate names and other encodings.
            try json.withUnsafeBytes { try JSONScanner.validate($0, limits: limits) }
            document = try JSONDecoder().decode(Document.self, from: json)
        } catch let error as PackageError where [.badCatalogue, .tooMany].contains(error.code) {
            throw error
        } catch let error as JSONError {
            throw PackageError(.badCatalogue, "\(error)", cause: error)
        } catch let error as DecodingError {
            throw PackageError(.badCatalogue, error.jsonFault.reason, at: error.jsonFault.place, cause: error)
        } catch {
            throw PackageError(.badCatalogue, "not JSON", cause: error)
        }
        try self.init(sequence: document.sequence, packages: document.packages.map(\.entry))
    }

    /// The document of the catalogue, which ``init(decoding:)`` decodes.
    public func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(Document(sequence: sequence, packages: packages.map(Document.Package.init)))
    }

    /// The JSON form of a catalogue.
    fileprivate struct Document: Codable {
        static let currentFormat: Int64 = 1
        var format = currentFormat
        var sequence: Int64
        var packages: [Package]

        private enum CodingKeys: String, CodingKey {
            case format, sequence, packages
        }

        init(sequence: Int64, packages: [Package]) {
            self.sequence = sequence
            self.packages = packages
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            format = try container.decode(Int64.self, forKey: .format)
            guard format == Self.currentFormat else {
                throw PackageError(
                    .badCatalogue, "catalogue of format \(format), known is \(Self.currentFormat)", at: "format")
            }
            sequence = try container.decode(Int64.self, forKey: .sequence)
            var list = try container.nestedUnkeyedContainer(forKey: .packages)
            packages = []
            while !list.isAtEnd {
                guard packages.count < maxPackages else {
                    throw PackageError(.tooMany, "more than \(maxPackages) packages", at: "packages")
                }
                packages.append(try list.decode(Package.self))
            }
        }
    }
}

extension PackageCatalogue.Document {
    /// The JSON form of an entry.
    fileprivate struct Package: Codable {
        var entry: PackageCatalogue.Entry

        private enum CodingKeys: String, CodingKey {
            case id, manifest, scope, version
        }

        init(_ entry: PackageCatalogue.Entry) {
            self.entry = entry
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            /// Parses the text of a member. The error names the member.
            func parse<Value>(_ key: CodingKeys, _ text: String, _ parse: (String) throws -> Value) throws -> Value {
                do {
                    return try parse(text)
                } catch let error as PackageError {
                    throw PackageError(
                        .badCatalogue, error.message, at: (container.codingPath + [key]).jsonPlace, cause: error)
                }
            }
            func text(_ key: CodingKeys) throws -> String { try container.decode(String.self, forKey: key) }
            entry = try PackageCatalogue.Entry(
                package: parse(.id, text(.id)) { try PackageID($0) }, manifestURL: text(.manifest),
                scope: parse(.scope, text(.scope)) { try PackageBaseURL($0) },
                version: container.decodeIfPresent(String.self, forKey: .version).map { version in
                    try parse(.version, version) { try PackageVersion($0) }
                })
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(entry.package, forKey: .id)
            try container.encode(entry.manifestURL, forKey: .manifest)
            try container.encode(entry.scope, forKey: .scope)
            try container.encodeIfPresent(entry.version, forKey: .version)
        }
    }
}
