// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import ResourceStore

/// Fuzzes a blob store. The input describes changes to the files of the store; see ``Change``.
///
/// Reading the changed store must not change the directory. Writing must not change files outside of the directory.
/// Every defect must be a `StoreError` or a finding of the check.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStore(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        let stage = try StoreStage.shared.get()
        try stage.reset()
        var input = ByteReader(bytes: UnsafeBufferPointer(start: bytes, count: count))
        while let change = Change(&input) { try stage.apply(change) }
        try stage.run()
    } catch {
        Fuzz.expect(false, "untyped error: \(error)")
    }
    return 0
}

/// A change to the directory of a store.
enum Change {
    /// A replacement of bytes at an offset, modulo the size of the file.
    case patch(name: String, offset: Int, bytes: [UInt8])
    case truncate(name: String, size: Int)
    case write(name: String, bytes: [UInt8])
    /// A replacement by another kind of file: a link to a file or a folder outside, a dangling link, a folder or a
    /// pipe.
    case exchange(name: String, kind: UInt8)
    case remove(name: String)

    init?(_ input: inout ByteReader) {
        guard let kind = input.byte(), let place = input.byte() else { return nil }
        let name = StoreStage.names[Int(place) % StoreStage.names.count]
        switch kind % 8 {
        case 0...3:
            self = .patch(
                name: name, offset: input.number(), bytes: input.bytes(1 + (input.byte().map(Int.init) ?? 0) % 32))
        case 4: self = .truncate(name: name, size: input.number())
        case 5: self = .write(name: name, bytes: input.bytes(input.number() % 4_096))
        case 6: self = .exchange(name: name, kind: input.byte() ?? 0)
        default: self = .remove(name: name)
        }
    }
}

/// A reader that consumes the input from its start.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(bytes: UnsafeBufferPointer<UInt8>) { rest = Array(bytes)[...] }

    mutating func byte() -> UInt8? { rest.popFirst() }

    /// Returns the next three bytes as a big-endian number. Missing bytes are zero.
    mutating func number() -> Int { (0..<3).reduce(0) { number, _ in number << 8 | Int(byte() ?? 0) } }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
