// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// Bytes in memory with random access.
struct InputBytes: RandomAccessReading {
    let data: Data
    let location = "memory"

    var size: Int64 { Int64(data.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        guard let start = Int(exactly: offset), start >= 0, start < data.count else { return 0 }
        let from = data.index(data.startIndex, offsetBy: start)
        return data[from...].copyBytes(to: buffer)
    }
}
