// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

extension ResourceBody {
    /// A part of a body that is there as a whole. Nothing is copied: a part of a file stays one.
    /// - Parameter range: within the body.
    /// - Returns: `nil` for a body that is still arriving.
    func slice(_ range: Range<Int64>) -> ResourceBody? {
        switch self {
        case .empty: range.isEmpty ? .empty : nil
        case .bytes(let data):
            .bytes(data[(data.startIndex + Int(range.lowerBound))..<(data.startIndex + Int(range.upperBound))])
        case .file(let slice):
            .file(
                FileSlice(
                    slice.file,
                    range: (slice.range.lowerBound + range.lowerBound)..<(slice.range.lowerBound + range.upperBound)))
        case .stream: nil
        }
    }
}

extension ResourceBody {
    /// Whether it is there from its first to its last byte.
    var isWhole: Bool {
        if case .stream = self { false } else { true }
    }
}
