// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import StrictJSON
internal import WebSyntax

/// The content of timestamp metadata: the current snapshot (TUF 1.0.34, section 4.6).
struct TimestampContent: MetadataContent {
    static let type = TopLevelRole.timestamp.rawValue

    private var files: [ByteText: AnnouncedFile] = [:]

    mutating func read(_ name: JSONText, _ scanner: inout JSONScanner) throws -> Bool {
        guard scanner.equals(name, "meta") else { return false }
        files = try scanner.readFiles()
        return true
    }

    func check() throws { _ = try snapshot }

    /// The announced snapshot.
    var snapshot: AnnouncedFile {
        get throws(TrustError) {
            guard let file = files[ByteText("snapshot.json")] else {
                throw TrustError(.badMetadata, "without a snapshot", at: Self.type)
            }
            return file
        }
    }
}

/// The content of snapshot metadata: the versions of all targets roles (TUF 1.0.34, section 4.4).
struct SnapshotContent: MetadataContent {
    static let type = TopLevelRole.snapshot.rawValue

    private var files: [ByteText: AnnouncedFile] = [:]

    mutating func read(_ name: JSONText, _ scanner: inout JSONScanner) throws -> Bool {
        guard scanner.equals(name, "meta") else { return false }
        files = try scanner.readFiles()
        return true
    }

    func check() throws {
        guard files[ByteText("targets.json")] != nil else { throw TrustError(.badMetadata, "without targets") }
    }

    /// Returns the announcement of a targets role.
    /// - Throws: ``TrustError`` with code `unknownRole`.
    func file(of role: String) throws(TrustError) -> AnnouncedFile {
        guard let file = files[ByteText(role + ".json")] else {
            throw TrustError(.unknownRole, "the snapshot does not list the role", at: role)
        }
        return file
    }

    /// Verifies that no version is lower than that of an earlier snapshot, and that no role is missing (TUF 1.0.34,
    /// section 5.5.5).
    /// - Throws: ``TrustError`` with code `rollback`.
    func checkRollback(from earlier: SnapshotContent) throws(TrustError) {
        for (name, file) in earlier.files {
            guard let new = files[name] else {
                throw TrustError(.rollback, "\(name) is missing", at: Self.type)
            }
            guard new.version >= file.version else {
                throw TrustError(
                    .rollback, "\(name) of version \(new.version), trusted is \(file.version)", at: Self.type)
            }
        }
    }
}

extension JSONScanner {
    /// Reads an object `{"<file name>": {"version": …}}`.
    fileprivate mutating func readFiles() throws -> [ByteText: AnnouncedFile] {
        var files: [ByteText: AnnouncedFile] = [:]
        try readObject(checksNames: false) { scanner, name in
            files[ByteText(scanner.string(name))] = try AnnouncedFile(&scanner)
        }
        return files
    }
}
