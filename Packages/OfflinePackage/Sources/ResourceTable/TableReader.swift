// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import StrictJSON

/// A decoder that reads a server's response into a table in one pass.
struct TableReader {
    private var scanner: JSONScanner
    private let bytes: UnsafeRawBufferPointer
    private let limits: TableLimits

    private var code: Int?
    private var version: String?
    private var update: Bool?
    private var hasMap = false
    /// The error that `data` or `resourcemap` is not an object. It is thrown only if the member is needed.
    private var misshapen: TableError?

    private var entries: [TableEntry] = []
    private var index: [TableURL: Int] = [:]
    /// The number of entries that were left out, without those of ``conflicts`` that came first.
    private var invalidCount = 0
    /// The reason for which the first of them was left out.
    private var firstFault: TableError?
    /// The URLs with different entries. None of these entries is used.
    private var conflicts: Set<TableURL> = []
    /// The content types that were read before, so that entries share their strings.
    private var contentTypes: [[UInt8]: String] = [:]
    private var lastContentType: (bytes: [UInt8], text: String) = ([], "")

    /// Creates a reader.
    /// - Parameters:
    ///   - bytes: bytes that stay valid while the reader is used.
    ///   - limits: the limits of the table.
    init(_ bytes: UnsafeRawBufferPointer, limits: TableLimits) {
        self.bytes = bytes
        self.limits = limits
        scanner = JSONScanner(bytes, limits: Self.scannerLimits(limits))
    }

    private static func scannerLimits(_ limits: TableLimits) -> JSONScanner.Limits {
        var scanner = JSONScanner.Limits()
        scanner.depth = limits.maxDepth
        // Other objects may have as many members as the map.
        scanner.names = max(scanner.names, limits.maxEntries)
        return scanner
    }

    mutating func read() throws -> TableAnswer {
        do {
            try readAnswer()
        } catch {
            // An error response may have any data, and its code may follow the data.
            let error = Self.refusal(error)
            guard error.code != .badJSON, code == nil, let late = try? Self.code(of: bytes, limits), late != 200 else {
                throw error
            }
            code = late
        }
        guard let code else { throw TableError(.badTable, "the response has no code") }
        guard code == 200 else { throw TableError(.serverCode, "the server responded with code \(code), not 200") }
        if update == false { return .unchanged }
        if let misshapen { throw misshapen }
        guard hasMap else { return .unchanged }
        guard let version else { throw TableError(.badTable, "the table has no version") }
        leaveOutConflicts()
        // Otherwise a server that makes only mistakes would delete the files of all clients.
        if let firstFault, entries.isEmpty { throw firstFault }
        return .table(
            URLTable(
                version: version, entries: entries, index: index, invalidCount: invalidCount, firstFault: firstFault))
    }

    private mutating func leaveOutConflicts() {
        guard !conflicts.isEmpty else { return }
        invalidCount += conflicts.count
        entries.removeAll { conflicts.contains($0.url) }
        index = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.url, $0) })
    }

    private mutating func leaveOut(_ fault: TableError) {
        invalidCount += 1
        if firstFault == nil { firstFault = fault }
    }

    /// Converts an error of the scanner.
    private static func refusal(_ error: any Error) -> TableError {
        guard let fault = error as? JSONError else {
            return error as? TableError ?? TableError(.badTable, String(describing: error), cause: error)
        }
        let code: TableError.Code =
            switch fault.code {
            case .malformed: .badJSON
            case .repeatedName, .escapedName: .badTable
            case .tooMany: .tooMany
            case .tooLong: .tooLarge
            }
        return TableError(code, fault.message, at: "byte \(fault.position)")
    }

    /// Reads only the code of a response.
    private static func code(of bytes: UnsafeRawBufferPointer, _ limits: TableLimits) throws -> Int? {
        var code: Int?
        var scanner = JSONScanner(bytes, limits: scannerLimits(limits))
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "code") {
                code = try Self.readCode(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.finish()
        return code
    }

    private static func readCode(_ scanner: inout JSONScanner) throws -> Int {
        guard scanner.isAtNumber(), let text = try scanner.readInteger(),
            let code = scanner.integer(text).flatMap(Int.init(exactly:))
        else { throw TableError(.badTable, "the code is not an integer", at: "byte \(scanner.position)") }
        return code
    }

    // MARK: The response object

    private mutating func readAnswer() throws {
        guard scanner.nextToken() == UInt8(ascii: "{") else {
            try scanner.skipValue()
            try scanner.finish()
            throw TableError(.badTable, "the response is not an object")
        }
        // The closure has its own scanner, so that reading an object and storing its members are not overlapping
        // accesses.
        var scanner = self.scanner
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "code") {
                code = try Self.readCode(&scanner)
            } else if scanner.equals(name, "data") {
                try readData(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.finish()
    }

    private mutating func readData(_ scanner: inout JSONScanner) throws {
        guard try isObject("data", &scanner) else { return }
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "version") {
                version = try readVersion(&scanner)
            } else if scanner.equals(name, "update") {
                update = try Self.readBool(&scanner)
            } else if scanner.equals(name, "resourcemap") {
                guard try isObject("resourcemap", &scanner) else { return }
                hasMap = true
                try readMap(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
    }

    /// Returns a Boolean value that indicates whether the next value is an object. Skips any other value, and records
    /// an error unless the value is null.
    private mutating func isObject(_ name: String, _ scanner: inout JSONScanner) throws -> Bool {
        let token = scanner.nextToken()
        if token == UInt8(ascii: "{") { return true }
        if token != UInt8(ascii: "n"), misshapen == nil {
            misshapen = TableError(.badTable, "\(name) is not an object", at: "byte \(scanner.position)")
        }
        try scanner.skipValue()
        return false
    }

    private static func readBool(_ scanner: inout JSONScanner) throws -> Bool? {
        if try scanner.readNull() { return nil }
        guard let value = try scanner.readBool() else {
            throw TableError(.badTable, "update is neither true nor false", at: "byte \(scanner.position)")
        }
        return value
    }

    // MARK: The entries

    private mutating func readMap(_ scanner: inout JSONScanner) throws {
        // An entry takes about 300 bytes. A wrong estimate costs a copy.
        let guess = min(bytes.count / 300, limits.maxEntries)
        entries.reserveCapacity(guess)
        index.reserveCapacity(guess)
        // The index detects duplicate names, except names that are not normalized URLs or whose entries are left out.
        var otherNames: Set<[UInt8]> = []
        var isPlainNameFree: Set<TableURL> = []
        var invalidPlainNames: Set<TableURL> = []
        try scanner.readObject(checksNames: false) { scanner, name in
            let start = scanner.position
            guard entries.count + invalidCount < limits.maxEntries else {
                throw TableError(.tooMany, "the table has more than \(limits.maxEntries) entries", at: "byte \(start)")
            }
            let url: TableURL
            do {
                url = try self.url(name, "page URL", scanner).normalized
            } catch let fault as TableError where fault.code == .badTable {
                guard otherNames.insert(scanner.withBytes(of: name, Array.init)).inserted else {
                    throw Self.twice("a page URL", scanner)
                }
                try scanner.skipValue()
                return leaveOut(fault)
            }
            let isKnown = index[url] != nil
            let isPlain =
                name.range.count == url.description.utf8.count
                && scanner.withBytes(of: name, { $0.elementsEqual(url.description.utf8) })
            let isNew: Bool
            if isPlain {
                isNew = !isKnown || isPlainNameFree.remove(url) != nil
            } else {
                isNew = otherNames.insert(scanner.withBytes(of: name, Array.init)).inserted
                if !isKnown { isPlainNameFree.insert(url) }
            }
            guard isNew, !isPlain || !invalidPlainNames.contains(url) else {
                throw Self.twice(url.description, scanner)
            }
            let valueStart = scanner.position
            let entry: TableEntry
            do {
                entry = try readEntry(url, &scanner)
            } catch let fault as TableError where fault.code == .badTable {
                if isPlain { invalidPlainNames.insert(url) }
                // The value must still be JSON without duplicate names.
                scanner.rewind(to: valueStart)
                try scanner.skipValue()
                return leaveOut(fault)
            }
            guard let existing = index[url] else {
                index[url] = entries.count
                return entries.append(entry)
            }
            guard entries[existing] != entry || conflicts.contains(url) else { return }
            conflicts.insert(url)
            leaveOut(TableError(.badTable, "two different entries have this URL", at: url.description))
        }
    }

    private mutating func readEntry(_ url: TableURL, _ scanner: inout JSONScanner) throws -> TableEntry {
        var version: String?
        var md5: MD5Digest?
        var download: TableURL?
        var contentType: String?
        guard scanner.nextToken() == UInt8(ascii: "{") else {
            throw TableError(.badTable, "the entry is not an object", at: url.description)
        }
        try scanner.readObject { scanner, name in
            if scanner.equals(name, "version") {
                version = try readVersion(&scanner)
            } else if scanner.equals(name, "md5") {
                let text = try Self.readText("md5", &scanner)
                guard let digest = scanner.withBytes(of: text, { MD5Digest(utf8: $0) }) else {
                    throw TableError(.badTable, "md5 is not 32 hexadecimal digits", at: url.description)
                }
                md5 = digest
            } else if scanner.equals(name, "download") {
                let text = try Self.readText("download", &scanner)
                download = try self.url(text, "download URL", scanner)
            } else if scanner.equals(name, "ctype") {
                contentType = try readContentType(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
        guard let version, let md5, let download else {
            let missing = version == nil ? "version" : md5 == nil ? "md5" : "download"
            throw TableError(.badTable, "the entry has no \(missing)", at: url.description)
        }
        return TableEntry(url: url, version: version, md5: md5, download: download, contentType: contentType)
    }

    @inline(__always)
    private func url(_ text: JSONText, _ what: String, _ scanner: JSONScanner) throws -> TableURL {
        guard text.range.count <= limits.maxURLLength else {
            throw TableError(
                .tooLarge, "the \(what) has \(text.range.count) bytes, the limit is \(limits.maxURLLength)",
                at: "byte \(scanner.position)")
        }
        guard let url = scanner.withBytes(of: text, { TableURL(utf8: $0) }) else {
            throw TableError(
                .badTable, "the \(what) is not an absolute http or https URL", at: "byte \(scanner.position)")
        }
        return url
    }

    /// Reads a version, which is a string or, from some servers, an integer.
    private func readVersion(_ scanner: inout JSONScanner) throws -> String? {
        if try scanner.readNull() { return nil }
        let text: JSONText?
        if scanner.nextToken() == UInt8(ascii: "\"") {
            text = try scanner.readString()
        } else {
            text = try scanner.isAtNumber() ? scanner.readInteger() : nil
        }
        guard let text else {
            throw TableError(.badTable, "version is neither a string nor an integer", at: "byte \(scanner.position)")
        }
        try checkLength(text, "version", scanner)
        return scanner.string(text)
    }

    /// Reads a content type. It becomes a header field, so only visible ASCII and spaces are allowed.
    private mutating func readContentType(_ scanner: inout JSONScanner) throws -> String? {
        if try scanner.readNull() { return nil }
        let text = try Self.readText("ctype", &scanner)
        try checkLength(text, "ctype", scanner)
        guard !text.range.isEmpty else { return nil }
        if scanner.withBytes(of: text, { $0.elementsEqual(lastContentType.bytes) }) { return lastContentType.text }
        let bytes = scanner.withBytes(of: text, Array.init)
        guard bytes.allSatisfy({ 0x20..<0x7F ~= $0 }) else {
            throw TableError(.badTable, "ctype is not a content type", at: "byte \(scanner.position)")
        }
        let known = contentTypes[bytes] ?? String(decoding: bytes, as: UTF8.self)
        if contentTypes.count < 100 { contentTypes[bytes] = known }
        lastContentType = (bytes, known)
        return known
    }

    private static func readText(_ name: String, _ scanner: inout JSONScanner) throws -> JSONText {
        guard scanner.nextToken() == UInt8(ascii: "\"") else {
            throw TableError(.badTable, "\(name) is not a string", at: "byte \(scanner.position)")
        }
        return try scanner.readString()
    }

    private func checkLength(_ text: JSONText, _ name: String, _ scanner: JSONScanner) throws {
        guard text.range.count <= limits.maxTextLength else {
            throw TableError(
                .tooLarge, "\(name) has \(text.range.count) bytes, the limit is \(limits.maxTextLength)",
                at: "byte \(scanner.position)")
        }
    }

    private static func twice(_ name: String, _ scanner: JSONScanner) -> TableError {
        TableError(.badTable, "\(name) occurs twice", at: "byte \(scanner.position)")
    }
}

/// The limits of a table.
public struct TableLimits: Sendable, Hashable {
    /// The maximum number of bytes of a response, which is in memory while it is read.
    ///
    /// Default: 40 MiB; 100,000 entries take 30 MiB.
    public var maxBytes = 40 << 20
    /// The maximum number of entries. Default: 200,000.
    public var maxEntries = 200_000
    /// The maximum number of bytes of a URL. Default: 8,192.
    public var maxURLLength = 8192
    /// The maximum number of bytes of a version or a content type. Default: 256.
    public var maxTextLength = 256
    /// The maximum depth of nested values, including skipped ones. Default: 32; a table needs 4.
    public var maxDepth = 32

    /// Creates the default limits.
    public init() {}

    /// The default limits.
    public static let `default` = TableLimits()
}

/// A document that a table library stores in addition to its files.
public enum TableDocument: String, Sendable, Hashable, CaseIterable {
    /// The response with the local table, byte for byte. Up to ``TableLimits/maxBytes``.
    case table
    /// The state of the update policy. A few hundred bytes.
    case check
    /// The files that are still to be downloaded. A few bytes for each.
    case pending
}
