// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A builder that writes tars byte by byte (POSIX ustar) and wraps them without compression.
struct TarMaker {
    struct Entry {
        var name: String
        var data: [UInt8]
        /// The type: `0` file, `1` hard link, `2` symbolic link, `3` and `4` devices, `5` folder, `6` pipe.
        var type: Character = "0"
        var link = ""
        /// The size in the header, if it differs from the true size.
        var size: Int?
        /// The 12 bytes of the size in the header, if they differ from octal digits.
        var sizeField: String?

        init(_ name: String, _ text: String = "hello", type: Character = "0", link: String = "") {
            self.name = name
            data = Array(text.utf8)
            self.type = type
            self.link = link
        }
    }

    enum Wrapping: CaseIterable {
        case gzip
        case zstandard
    }

    var entries: [Entry]
    /// The bytes after the entries: by default the two blocks of zeros that end a tar.
    var end = [UInt8](repeating: 0, count: 1_024)

    init(_ entries: [Entry]) {
        self.entries = entries
    }

    init(_ names: String...) {
        entries = names.map { Entry($0) }
    }

    func bytes(_ wrapping: Wrapping) -> [UInt8] {
        switch wrapping {
        case .gzip: Self.gzip(bytes())
        case .zstandard: Self.zstandard(bytes())
        }
    }

    func bytes() -> [UInt8] {
        var out: [UInt8] = []
        for entry in entries {
            out += header(entry) + entry.data
            out += [UInt8](repeating: 0, count: (512 - out.count % 512) % 512)
        }
        return out + end
    }

    private func header(_ entry: Entry) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int) {
            header.replaceSubrange(offset..<(offset + text.utf8.count), with: text.utf8)
        }
        func octal(_ number: Int, _ width: Int) -> String {
            let digits = String(number, radix: 8)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        put(String(entry.name.prefix(100)), at: 0)
        put(octal(0o644, 7), at: 100)
        put(octal(0, 7), at: 108)
        put(octal(0, 7), at: 116)
        put(entry.sizeField ?? octal(entry.size ?? entry.data.count, 11), at: 124)
        put(octal(0, 11), at: 136)
        put("        ", at: 148)
        put(String(entry.type), at: 156)
        put(entry.link, at: 157)
        put("ustar", at: 257)
        put("00", at: 263)
        put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\0 ", at: 148)
        return header
    }

    /// Returns a gzip of stored blocks.
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            out += [rest.isEmpty ? 1 : 0] + ZipMaker.bytes(length) + ZipMaker.bytes(~length) + block
        } while !rest.isEmpty
        return out + ZipMaker.bytes(ZipMaker.crc32(bytes)) + ZipMaker.bytes(UInt32(bytes.count))
    }

    /// Returns a zstd frame of raw blocks, without a checksum.
    static func zstandard(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xE0] + ZipMaker.bytes(UInt64(bytes.count))
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0x1_0000)
            rest = rest.dropFirst(block.count)
            out += ZipMaker.bytes(UInt32(block.count << 3 | (rest.isEmpty ? 1 : 0))).prefix(3) + block
        } while !rest.isEmpty
        return out
    }
}
