// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import StrictJSON
internal import WebSyntax

/// The content of the metadata of a targets role: its targets and its delegations (TUF 1.0.34, section 4.5).
struct TargetsContent: MetadataContent {
    static let type = TopLevelRole.targets.rawValue

    /// A target as a role lists it.
    struct Target: Sendable {
        let length: Int
        let hashes: ContentHashes
        /// The JSON text of the member `custom`, which is an object.
        let custom: Data?
    }

    private var targets: [ByteText: Target]?
    private(set) var delegations: Delegations?

    /// The paths of the targets that the role itself lists.
    var paths: [String] { (targets ?? [:]).keys.map(\.text) }

    /// Returns a target that the role itself lists.
    func target(_ path: String) -> Target? { targets?[ByteText(path)] }

    mutating func read(_ name: JSONText, _ scanner: inout JSONScanner) throws -> Bool {
        if scanner.equals(name, "targets") {
            var targets: [ByteText: Target] = [:]
            try scanner.readObject(checksNames: false) { scanner, name in
                targets[ByteText(scanner.string(name))] = try Target(&scanner)
            }
            self.targets = targets
        } else if scanner.equals(name, "delegations") {
            delegations = try Delegations(&scanner)
        } else {
            return false
        }
        return true
    }

    func check() throws {
        guard targets != nil else { throw TrustError(.badMetadata, "without targets") }
    }
}

extension TargetsContent.Target {
    fileprivate init(_ scanner: inout JSONScanner) throws {
        var (length, hashes, custom) = (Int64?.none, ContentHashes?.none, Data?.none)
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "length") {
                length = try scanner.readNumber("a length", from: 0)
            } else if scanner.equals(name, "hashes") {
                hashes = try ContentHashes(&scanner)
            } else if scanner.equals(name, "custom"), scanner.nextToken() == UInt8(ascii: "{") {
                custom = try scanner.readAsText().map { Data($0.utf8) }
            } else {
                try scanner.skipValue()
            }
        }
        guard let length, let hashes else { throw TrustError(.badMetadata, "a target without length or digests") }
        (self.length, self.hashes, self.custom) = (Int(length), hashes, custom)
    }
}
