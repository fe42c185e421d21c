// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import PackageFormat

/// The slice inflater. Four bytes say method, size and step, the rest is the slice. However the slice is cut, the same
/// must come out, and never more than the size.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSlice(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.run(bytes, count) { data in
        guard data.count >= 4 else { return }
        let head = [UInt8](data.prefix(4))
        let packed = Data(data.dropFirst(4))
        let method: ArchiveSlice.Method = head[0] & 1 == 0 ? .deflate : .stored
        let size = method == .stored ? Int64(packed.count) : Int64(head[1]) << 8 | Int64(head[2])
        let slice = ArchiveSlice(offset: 0, size: Int64(packed.count), method: method)
        let whole = try? inflate(packed, slice, size, step: max(packed.count, 1))
        let cut = try? inflate(packed, slice, size, step: Int(head[3] % 64) + 1)
        Fuzz.expect(whole == cut, "depends on how it is cut")
        if let whole { Fuzz.expect(Int64(whole.count) == size, "\(whole.count) bytes of \(size)") }
    }
    return 0
}

private func inflate(_ packed: Data, _ slice: ArchiveSlice, _ size: Int64, step: Int) throws -> Data {
    var inflater = try SliceInflater(slice, size: size, name: "slice")
    var result = Data()
    var rest = packed
    while !rest.isEmpty {
        try inflater.append(rest.prefix(step)) { piece in
            result.append(piece)
            Fuzz.expect(!piece.isEmpty && Int64(result.count) <= size, "more than \(size) bytes")
        }
        rest = rest.dropFirst(step)
    }
    try inflater.finish()
    return result
}
