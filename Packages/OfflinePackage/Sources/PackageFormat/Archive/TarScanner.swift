// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

/// A scanner of the headers of a tar that rejects names which readers interpret differently.
///
/// libarchive ends a name at its first NUL and ignores names in global extended headers; other readers do not (POSIX.1,
/// pax interchange format). The scanner reads the bytes that libarchive reads. It ends at a block of zeros, because
/// libarchive then ends too, and rejects numbers and repeated headers for which the two could read other positions.
struct TarScanner {
    private enum State {
        /// The next bytes are a header.
        case header
        /// The next bytes are data and padding.
        case skip(Int64)
        /// The next bytes are the content of an extended header of a type, then padding.
        case extended(type: UInt8, size: Int, padding: Int64)
        case ended
    }

    private static let blockSize = 512
    /// The maximum number of bytes of an extended header.
    private static let maxExtended = 1 << 20

    private let location: String
    private var state = State.header
    private var buffer: [UInt8] = []
    /// The size of the next file in its extended header, which overrides the one in its header.
    private var nextSize: Int64?
    /// A Boolean value that indicates whether the next file has an extended header.
    private var hasExtended = false

    init(location: String) {
        self.location = location
    }

    /// Scans the next bytes of the tar.
    /// - Throws: ``PackageError``.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch state {
            case .ended: return
            case .skip(let count):
                let skipped = min(count, Int64(rest.count))
                rest = rest.dropFirst(Int(skipped))
                state = skipped == count ? .header : .skip(count - skipped)
            case .header:
                guard fill(to: Self.blockSize, from: &rest) else { return }
                try readHeader(buffer)
                buffer.removeAll(keepingCapacity: true)
            case .extended(let type, let size, let padding):
                guard fill(to: size, from: &rest) else { return }
                try readExtended(type, buffer)
                buffer.removeAll(keepingCapacity: true)
                state = padding == 0 ? .header : .skip(padding)
            }
        }
    }

    /// Moves bytes to the buffer until it has `count` bytes. Returns `false` if there are not enough.
    private mutating func fill(to count: Int, from rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        let taken = rest.prefix(count - buffer.count)
        buffer += taken
        rest = rest.dropFirst(taken.count)
        return buffer.count == count
    }

    private mutating func readHeader(_ block: [UInt8]) throws {
        guard Self.hasChecksum(block) else {
            guard block.allSatisfy({ $0 == 0 }) else {
                throw PackageError(.damaged, "the checksum of a tar header is not valid", at: location)
            }
            return state = .ended
        }
        let size = try number(block[124..<136])
        let block64 = Int64(Self.blockSize)
        func padding(_ size: Int64) -> Int64 { (block64 - size % block64) % block64 }
        switch block[156] {
        case UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "g"), UInt8(ascii: "L"), UInt8(ascii: "K"):
            guard size <= Int64(Self.maxExtended) else {
                throw PackageError(.tooLarge, "extended header of more than \(Self.maxExtended) bytes", at: location)
            }
            if block[156] == UInt8(ascii: "x") || block[156] == UInt8(ascii: "X") {
                guard !hasExtended else {
                    throw PackageError(.unsupported, "an entry has two extended headers", at: location)
                }
                hasExtended = true
            }
            guard size > 0 else { return }
            state = .extended(type: block[156], size: Int(size), padding: padding(size))
        case UInt8(ascii: "0"), UInt8(ascii: "7"), UInt8(ascii: "5"), 0:
            let size = nextSize ?? size
            nextSize = nil
            hasExtended = false
            guard block[156] != UInt8(ascii: "5") || size == 0 else {
                throw PackageError(.headerMismatch, "a folder has data", at: location)
            }
            let (end, overflow) = size.addingReportingOverflow(padding(size))
            guard !overflow else { throw PackageError(.tooLarge, "entry of \(size) bytes", at: location) }
            state = end == 0 ? .header : .skip(end)
        // The reader of the archive rejects links, devices and pipes.
        case UInt8(ascii: "1")...UInt8(ascii: "6"): state = .ended
        default:
            throw PackageError(.unsupported, "the type of a tar entry is not supported", at: location)
        }
    }

    /// Returns the value of a number: octal digits after spaces, or an integer in base 256 if the highest bit is set.
    ///
    /// Spaces and NUL may follow the digits. libarchive reads 0 if NUL comes before the digits.
    private func number(_ field: ArraySlice<UInt8>) throws -> Int64 {
        func invalid() -> PackageError { PackageError(.damaged, "a number in a tar header is not valid", at: location) }
        if let first = field.first, first & 0x80 != 0 {
            let digits = field.dropFirst()
            guard first == 0x80, digits.dropLast(8).allSatisfy({ $0 == 0 }) else { throw invalid() }
            guard let value = Int64(exactly: digits.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) else {
                throw invalid()
            }
            return value
        }
        func isBlank(_ byte: UInt8) -> Bool { byte == 0 || byte == UInt8(ascii: " ") }
        var digits = field.drop { $0 == UInt8(ascii: " ") }
        while let last = digits.last, isBlank(last) { digits.removeLast() }
        return try digits.reduce(0) { value, digit in
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { throw invalid() }
            return value << 3 | Int64(digit - UInt8(ascii: "0"))
        }
    }

    /// Returns a Boolean value that indicates whether a block is a header: the sum of its bytes, with spaces for the
    /// sum itself. Some writers add signed bytes.
    private static func hasChecksum(_ block: [UInt8]) -> Bool {
        var digits = block[148..<156].drop { $0 == UInt8(ascii: " ") }
        digits = digits.prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
        guard !digits.isEmpty else { return false }
        let expected = digits.reduce(0) { $0 << 3 | Int($1 - UInt8(ascii: "0")) }
        let fields = block[..<148] + [UInt8](repeating: UInt8(ascii: " "), count: 8) + block[156...]
        return fields.reduce(0) { $0 + Int($1) } == expected
            || fields.reduce(0) { $0 + Int(Int8(bitPattern: $1)) } == expected
    }

    private mutating func readExtended(_ type: UInt8, _ content: [UInt8]) throws {
        guard type != UInt8(ascii: "L"), type != UInt8(ascii: "K") else {
            // A long name of GNU tar ends in NUL.
            guard content.drop(while: { $0 != 0 }).allSatisfy({ $0 == 0 }) else { throw nulInName() }
            return
        }
        func damaged() -> PackageError { PackageError(.damaged, "an extended header is not valid", at: location) }
        var rest = content[...]
        // Some writers fill the header with NUL.
        while let first = rest.first, first != 0 {
            // A record is `LENGTH KEY=VALUE` and a line feed; the length includes all of it.
            let digits = rest.prefix { $0 != UInt8(ascii: " ") }
            guard digits.count <= 7, let length = Self.decimal(digits).flatMap(Int.init(exactly:)),
                length > digits.count + 1, length <= rest.count
            else { throw damaged() }
            let record = rest.prefix(length)
            rest = rest.dropFirst(length)
            let pair = record.dropFirst(digits.count + 1).dropLast()
            guard record.last == UInt8(ascii: "\n"), let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
                throw damaged()
            }
            let key = String(decoding: pair[..<equals], as: UTF8.self)
            try readRecord(key, pair[(equals + 1)...], isGlobal: type == UInt8(ascii: "g"))
        }
    }

    private mutating func readRecord(_ key: String, _ value: ArraySlice<UInt8>, isGlobal: Bool) throws {
        let isName = ["path", "linkpath", "GNU.sparse.name"].contains(key)
        if isGlobal, isName || key == "size" || key == "hdrcharset" || key.utf8.starts(with: "GNU.sparse.".utf8) {
            throw PackageError(
                .unsupported, "a global extended header sets \(key.printable(limit: 100)) of all entries", at: location)
        }
        if isName {
            guard !value.contains(0) else { throw nulInName() }
            guard !value.isEmpty else { throw PackageError(.unsafePath, "empty name in a header", at: location) }
        }
        guard key == "size", !isGlobal else { return }
        guard let size = Self.decimal(value) else {
            throw PackageError(.damaged, "the size in an extended header is not valid", at: location)
        }
        nextSize = size
    }

    /// Returns the value of ASCII digits, or `nil` if there are none, others than digits, or too many.
    private static func decimal(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    private func nulInName() -> PackageError {
        PackageError(.unsafePath, "NUL in a name", at: location)
    }
}
