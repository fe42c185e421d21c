// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import ResourceStore

/// The files of a store, changed as the input says: see ``Change``. Reading such a store changes nothing in its
/// directory, writing it changes nothing outside, and whatever is wrong is a typed refusal or a finding.
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

/// One change of a store's directory.
enum Change {
    /// Bytes take the place of others, at an offset that is taken modulo the file's size.
    case patch(name: String, offset: Int, bytes: [UInt8])
    case truncate(name: String, size: Int)
    case write(name: String, bytes: [UInt8])
    /// Something else has the name: a link to a file or a folder outside, a link to nothing, a folder, a pipe.
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

/// Reads the input from its beginning.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(bytes: UnsafeBufferPointer<UInt8>) { rest = Array(bytes)[...] }

    mutating func byte() -> UInt8? { rest.popFirst() }

    /// Three bytes, the highest first; those that are missing are zero.
    mutating func number() -> Int { (0..<3).reduce(0) { number, _ in number << 8 | Int(byte() ?? 0) } }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
