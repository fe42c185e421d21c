// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation

/// A metadata document with its signatures (TUF 1.0.34, section 4.2). Members that are not known stay unchanged.
package struct MetadataDocument: Sendable, Hashable {
    /// The version of the specification that new documents name.
    private static let specification = "1.0.34"
    /// The valid versions, after which one more integer exists.
    private static let versions: ClosedRange<Int64> = 1...(.max - 1)

    private var value: JSONValue
    /// The name of the role.
    package let name: String

    /// Reads a document.
    /// - Throws: ``PublishingError`` with code `badMetadata`.
    package init(decoding bytes: Data, of name: String) throws(PublishingError) {
        value = try JSONValue(decoding: bytes, at: name)
        self.name = name
        guard let version = value["signed"]?["version"]?.number, Self.versions.contains(version),
            let expires = value["signed"]?["expires"]?.text, MetadataTime.date(expires) != nil
        else { throw PublishingError(.badMetadata, "without a version or a time of expiry", at: name) }
    }

    /// Creates the first document of a role, without a valid version and time.
    init(new name: String, type: String, members: [String: JSONValue]) {
        var signed = JSONValue.members(members)
        signed["_type"] = .string(type)
        signed["spec_version"] = .string(Self.specification)
        signed["version"] = .integer(0)
        value = .members(["signed": signed, "signatures": .array([])])
        self.name = name
    }

    /// The signed content. A change removes the signatures.
    package internal(set) var signed: JSONValue {
        get { value["signed"] ?? .null }
        set {
            value["signed"] = newValue
            value["signatures"] = .array([])
        }
    }

    /// The version, from 1.
    package var version: Int64 { signed["version"]?.number ?? 0 }

    /// The time of expiry.
    package var expires: Date { signed["expires"]?.text.flatMap(MetadataTime.date) ?? .distantPast }

    /// The text of the document.
    package var bytes: Data { value.document }

    /// Sets the version and the time of expiry, which removes the signatures.
    /// - Parameter former: the version before the new one, or `nil` for that of the document.
    /// - Throws: ``PublishingError`` with code `badValue` if no valid version follows.
    mutating func renew(until expires: Date, after former: Int64? = nil) throws(PublishingError) {
        let former = former ?? version
        guard former < Self.versions.upperBound else {
            throw PublishingError(.badValue, "no version follows \(former)", at: name)
        }
        signed["version"] = .integer(former + 1)
        signed["expires"] = .string(MetadataTime.text(expires))
    }

    /// A Boolean value that indicates whether the document has signatures, which need not be valid.
    var hasSignatures: Bool { value["signatures"]?.elements.isEmpty == false }

    /// Adds the signature of a key, or replaces it.
    mutating func sign(by key: SigningKey) throws(PublishingError) {
        let signature = HexDigits.text(of: try key.signature(of: signed.canonical))
        let others = (value["signatures"]?.elements ?? []).filter { $0["keyid"]?.text != key.publicKey.id }
        value["signatures"] = .array(
            others + [.members(["keyid": .string(key.publicKey.id), "sig": .string(signature)])])
    }

    /// Returns the keys of a role that have signed the document, by their identifiers.
    package func signers(of role: RoleKeys) -> Set<String> {
        let message = signed.canonical
        var signers: Set<String> = []
        for signature in value["signatures"]?.elements ?? [] {
            guard let id = signature["keyid"]?.text, let key = role.keys.first(where: { $0.id == id }),
                let bytes = signature["sig"]?.text.flatMap(HexDigits.bytes), key.isValid(bytes, of: message)
            else { continue }
            signers.insert(id)
        }
        return signers
    }

    /// Returns a Boolean value that indicates whether enough keys of a role have signed the document.
    package func isSigned(by role: RoleKeys) -> Bool {
        // Two identifiers of one key count once.
        let ids = signers(of: role)
        return Set(role.keys.filter { ids.contains($0.id) }.map(\.value)).count >= role.threshold
    }
}

/// The keys that can sign a role, and the number of them that must.
package struct RoleKeys: Sendable, Hashable {
    package let keys: [PublicKey]
    package let threshold: Int

    /// Creates the keys of a role.
    /// - Throws: ``PublishingError`` with code `badValue` if the threshold cannot be reached, or a key is listed twice.
    package init(_ keys: [PublicKey], threshold: Int, of name: String) throws(PublishingError) {
        guard threshold >= 1, threshold <= keys.count else {
            throw PublishingError(.badValue, "a threshold of \(threshold) with \(keys.count) keys", at: name)
        }
        guard Set(keys.map(\.value)).count == keys.count else {
            throw PublishingError(.badValue, "a key is listed twice", at: name)
        }
        self.keys = keys
        self.threshold = threshold
    }

    /// Reads the members `keyids` and `threshold` of a role, and its keys.
    /// - Throws: ``PublishingError`` with code `badMetadata`.
    init(_ role: JSONValue, keys: JSONValue?, of name: String) throws(PublishingError) {
        guard let threshold = role["threshold"]?.number, threshold >= 1 else {
            throw PublishingError(.badMetadata, "a role without a threshold", at: name)
        }
        var list: [PublicKey] = []
        for element in role["keyids"]?.elements ?? [] {
            guard let id = element.text, let value = keys?[id] else {
                throw PublishingError(.badMetadata, "a role with an unknown key", at: name)
            }
            list.append(try PublicKey(value, id: id, at: name))
        }
        self.keys = list
        self.threshold = Int(clamping: threshold)
    }

    /// The members `keyids` and `threshold`.
    var members: [String: JSONValue] {
        ["keyids": .array(keys.map { .string($0.id) }), "threshold": .integer(Int64(threshold))]
    }
}

/// Times in the form `2030-12-31T23:59:59Z` (TUF 1.0.34, section 4.2.1).
package enum MetadataTime {
    /// Returns the date of a text, or `nil` if it has another form.
    package static func date(_ text: String) -> Date? {
        let style = Date.ISO8601FormatStyle()
        guard text.utf8.count == 20, let date = try? style.parse(text), style.format(date) == text else { return nil }
        return date
    }

    /// Returns the text of a date, without fractions of a second.
    package static func text(_ date: Date) -> String { Date.ISO8601FormatStyle().format(date) }
}
