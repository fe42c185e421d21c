// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a `Range` field asks of a file whose size is known (RFC 9110, section 14.1.2).
enum ByteRange: Equatable {
    /// Nothing that has to be honoured: malformed, several ranges, or another unit.
    case whole
    /// These bytes, which the file has.
    case part(ClosedRange<Int>)
    /// Bytes that the file does not have.
    case unsatisfiable

    init(_ field: String, size: Int) {
        let prefix = "bytes="
        guard field.utf8.count <= 64, field.hasPrefix(prefix) else {
            self = .whole
            return
        }
        let bounds = field.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else {
            self = .whole
            return
        }
        switch (Int(bounds[0]), Int(bounds[1])) {
        case (nil, .some(let length)) where bounds[0].isEmpty:
            self = length > 0 && size > 0 ? .part(max(0, size - length)...(size - 1)) : .unsatisfiable
        case (.some(let first), nil) where bounds[1].isEmpty:
            self = first < size ? .part(first...(size - 1)) : .unsatisfiable
        case (.some(let first), .some(let last)) where first <= last:
            self = first < size ? .part(first...min(last, size - 1)) : .unsatisfiable
        default: self = .whole
        }
    }
}
