// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Reads a server's answer into a table, in one pass over its bytes.
struct TableReader {
    private var scanner: JSONScanner
    private let bytes: UnsafeRawBufferPointer
    private let limits: TableLimits

    private var code: Int?
    private var hasData = false
    private var version: String?
    private var update: Bool?
    private var hasMap = false
    /// Where `data` or `resourcemap` is of another type: told only where it would have mattered.
    private var misshapen: TableError?

    private var entries: [TableEntry] = []
    private var index: [TableURL: Int] = [:]
    /// Content types met before, so that thousands of entries share one text.
    private var contentTypes: [[UInt8]: String] = [:]
    private var lastContentType: (bytes: [UInt8], text: String) = ([], "")

    /// - Parameter bytes: must stay valid while the reader is used.
    init(_ bytes: UnsafeRawBufferPointer, limits: TableLimits) {
        self.bytes = bytes
        self.limits = limits
        scanner = JSONScanner(bytes, maxDepth: limits.maxDepth)
    }

    mutating func read() throws(TableError) -> TableAnswer {
        do {
            try readAnswer()
        } catch {
            // A refusal may carry anything as data, and may say so after it.
            guard error.code != .badJSON, code == nil, let late = try? Self.code(of: bytes, limits), late != 200 else {
                throw error
            }
            code = late
        }
        guard let code else { throw TableError(.badTable, "no code") }
        guard code == 200 else { throw TableError(.serverCode, "the server answers with code \(code), not 200") }
        if update == false { return .unchanged }
        if let misshapen { throw misshapen }
        guard hasMap else { return .unchanged }
        guard let version else { throw TableError(.badTable, "no version") }
        return .table(ResourceTable(version: version, entries: entries, index: index))
    }

    /// Reads nothing but the code.
    private static func code(of bytes: UnsafeRawBufferPointer, _ limits: TableLimits) throws(TableError) -> Int? {
        var code: Int?
        var scanner = JSONScanner(bytes, maxDepth: limits.maxDepth)
        try scanner.readObject { scanner, name throws(TableError) in
            if scanner.equals(name, "code") {
                code = try Self.readCode(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.finish()
        return code
    }

    private static func readCode(_ scanner: inout JSONScanner) throws(TableError) -> Int {
        let token = scanner.nextToken()
        guard token == UInt8(ascii: "-") || token &- UInt8(ascii: "0") < 10, let text = try scanner.readNumber(),
            let code = Int(scanner.string(text))
        else { throw TableError(.badTable, "the code is no integer", at: "byte \(scanner.position)") }
        return code
    }

    // MARK: The frame

    private mutating func readAnswer() throws(TableError) {
        guard scanner.nextToken() == UInt8(ascii: "{") else {
            try scanner.skipValue()
            try scanner.finish()
            throw TableError(.badTable, "the answer is no object")
        }
        // The scanner goes with the closure, so that reading an object and keeping what it holds do not overlap.
        var scanner = self.scanner
        try scanner.readObject { scanner, name throws(TableError) in
            if scanner.equals(name, "code") {
                guard code == nil else { throw Self.twice("code", scanner) }
                code = try Self.readCode(&scanner)
            } else if scanner.equals(name, "data") {
                guard !hasData else { throw Self.twice("data", scanner) }
                hasData = true
                try readData(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.finish()
    }

    private mutating func readData(_ scanner: inout JSONScanner) throws(TableError) {
        guard try isObject("data", &scanner) else { return }
        var hasUpdate = false
        try scanner.readObject { scanner, name throws(TableError) in
            if scanner.equals(name, "version") {
                guard version == nil else { throw Self.twice("version", scanner) }
                version = try readVersion(&scanner)
            } else if scanner.equals(name, "update") {
                guard !hasUpdate else { throw Self.twice("update", scanner) }
                hasUpdate = true
                update = try Self.readBool(&scanner)
            } else if scanner.equals(name, "resourcemap") {
                guard !hasMap else { throw Self.twice("resourcemap", scanner) }
                guard try isObject("resourcemap", &scanner) else { return }
                hasMap = true
                try readMap(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
    }

    /// Skips a value that is no object; one that is not null either is remembered as an error.
    private mutating func isObject(_ name: String, _ scanner: inout JSONScanner) throws(TableError) -> Bool {
        let token = scanner.nextToken()
        if token == UInt8(ascii: "{") { return true }
        if token != UInt8(ascii: "n"), misshapen == nil {
            misshapen = TableError(.badTable, "\(name) is no object", at: "byte \(scanner.position)")
        }
        try scanner.skipValue()
        return false
    }

    private static func readBool(_ scanner: inout JSONScanner) throws(TableError) -> Bool? {
        switch scanner.nextToken() {
        case UInt8(ascii: "t"):
            try scanner.readWord("true")
            return true
        case UInt8(ascii: "f"):
            try scanner.readWord("false")
            return false
        case UInt8(ascii: "n"):
            try scanner.readWord("null")
            return nil
        default: throw TableError(.badTable, "update is neither true nor false", at: "byte \(scanner.position)")
        }
    }

    // MARK: The entries

    private mutating func readMap(_ scanner: inout JSONScanner) throws(TableError) {
        // An entry takes some 300 bytes; a guess that is wrong costs a copy.
        let guess = min(bytes.count / 300, limits.maxEntries)
        entries.reserveCapacity(guess)
        index.reserveCapacity(guess)
        try scanner.readObject { scanner, name throws(TableError) in
            let start = scanner.position
            let url = try url(name, "page URL", scanner)
            guard scanner.nextToken() == UInt8(ascii: "{") else {
                throw TableError(.badTable, "the entry is no object", at: url.description)
            }
            let entry = try readEntry(url, &scanner)
            let place = entries.count
            guard place < limits.maxEntries else {
                throw TableError(.tooMany, "more than \(limits.maxEntries) entries", at: "byte \(start)")
            }
            if let existing = index.updateValue(place, forKey: url) {
                guard entries[existing] == entry else {
                    throw TableError(.badTable, "two entries that differ", at: url.description)
                }
                index[url] = existing
            } else {
                entries.append(entry)
            }
        }
    }

    private mutating func readEntry(_ url: TableURL, _ scanner: inout JSONScanner) throws(TableError) -> TableEntry {
        var version: String?
        var md5: MD5Digest?
        var download: TableURL?
        var contentType: String?
        var hasContentType = false
        try scanner.readObject { scanner, name throws(TableError) in
            if scanner.equals(name, "version") {
                guard version == nil else { throw Self.twice("version", scanner) }
                version = try readVersion(&scanner)
            } else if scanner.equals(name, "md5") {
                guard md5 == nil else { throw Self.twice("md5", scanner) }
                let text = try Self.readText("md5", &scanner)
                guard let digest = scanner.withBytes(of: text, { MD5Digest(utf8: $0) }) else {
                    throw TableError(.badTable, "md5 is not 32 hexadecimal digits", at: url.description)
                }
                md5 = digest
            } else if scanner.equals(name, "download") {
                guard download == nil else { throw Self.twice("download", scanner) }
                let text = try Self.readText("download", &scanner)
                download = try self.url(text, "download URL", scanner)
            } else if scanner.equals(name, "ctype") {
                guard !hasContentType else { throw Self.twice("ctype", scanner) }
                hasContentType = true
                contentType = try readContentType(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
        guard let version, let md5, let download else {
            let missing = version == nil ? "version" : md5 == nil ? "md5" : "download"
            throw TableError(.badTable, "no \(missing)", at: url.description)
        }
        return TableEntry(url: url, version: version, md5: md5, download: download, contentType: contentType)
    }

    @inline(__always)
    private func url(_ text: JSONText, _ what: String, _ scanner: JSONScanner) throws(TableError) -> TableURL {
        guard text.range.count <= limits.maxURLLength else {
            throw TableError(
                .tooLarge, "\(what) of \(text.range.count) bytes, limit \(limits.maxURLLength)",
                at: "byte \(scanner.position)")
        }
        guard let url = scanner.withBytes(of: text, { TableURL(utf8: $0) }) else {
            throw TableError(.badTable, "\(what) that is no absolute http or https URL", at: "byte \(scanner.position)")
        }
        return url
    }

    /// A version is a text; some servers write an integer.
    private func readVersion(_ scanner: inout JSONScanner) throws(TableError) -> String? {
        let text: JSONText?
        switch scanner.nextToken() {
        case UInt8(ascii: "\""): text = try scanner.readString()
        case UInt8(ascii: "n"):
            try scanner.readWord("null")
            return nil
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): text = try scanner.readNumber()
        default: text = nil
        }
        guard let text else {
            throw TableError(.badTable, "version is neither text nor integer", at: "byte \(scanner.position)")
        }
        try checkLength(text, "version", scanner)
        return scanner.string(text)
    }

    /// What becomes a header field may hold visible ASCII and blanks only.
    private mutating func readContentType(_ scanner: inout JSONScanner) throws(TableError) -> String? {
        if scanner.nextToken() == UInt8(ascii: "n") {
            try scanner.readWord("null")
            return nil
        }
        let text = try Self.readText("ctype", &scanner)
        try checkLength(text, "ctype", scanner)
        guard !text.range.isEmpty else { return nil }
        if scanner.withBytes(of: text, { $0.elementsEqual(lastContentType.bytes) }) { return lastContentType.text }
        let bytes = scanner.withBytes(of: text, Array.init)
        guard bytes.allSatisfy({ 0x20..<0x7F ~= $0 }) else {
            throw TableError(.badTable, "ctype that is no content type", at: "byte \(scanner.position)")
        }
        let known = contentTypes[bytes] ?? String(decoding: bytes, as: UTF8.self)
        if contentTypes.count < 100 { contentTypes[bytes] = known }
        lastContentType = (bytes, known)
        return known
    }

    private static func readText(_ name: String, _ scanner: inout JSONScanner) throws(TableError) -> JSONText {
        guard scanner.nextToken() == UInt8(ascii: "\"") else {
            throw TableError(.badTable, "\(name) is no text", at: "byte \(scanner.position)")
        }
        return try scanner.readString()
    }

    private func checkLength(_ text: JSONText, _ name: String, _ scanner: JSONScanner) throws(TableError) {
        guard text.range.count <= limits.maxTextLength else {
            throw TableError(
                .tooLarge, "\(name) of \(text.range.count) bytes, limit \(limits.maxTextLength)",
                at: "byte \(scanner.position)")
        }
    }

    private static func twice(_ name: String, _ scanner: JSONScanner) -> TableError {
        TableError(.badTable, "\(name) occurs twice", at: "byte \(scanner.position)")
    }
}
