// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine

/// Where two pictures of a page differ.
struct PixelDifference: Sendable, Hashable {
    /// Pixels that differ.
    let count: Int
    /// Pixels that were not compared, because equal openings differ there too.
    let ignored: Int
    let total: Int

    /// - Parameter others: pictures that should be the same as `reference`; where they are not, nothing is compared.
    init(between reference: PageSnapshot, and picture: PageSnapshot, apartFrom others: some Sequence<PageSnapshot>) {
        total = reference.width * reference.height
        guard reference.width == picture.width, reference.height == picture.height else {
            count = total
            ignored = 0
            return
        }
        let expected = Self.words(of: reference)
        let found = Self.words(of: picture)
        var isMoving = [Bool](repeating: false, count: total)
        for other in others where other.pixels.count == reference.pixels.count {
            let words = Self.words(of: other)
            for pixel in 0..<total where words[pixel] != expected[pixel] { isMoving[pixel] = true }
        }
        count = (0..<total).count { !isMoving[$0] && expected[$0] != found[$0] }
        ignored = isMoving.count { $0 }
    }

    /// One number a pixel.
    private static func words(of picture: PageSnapshot) -> [UInt32] {
        picture.pixels.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
    }
}
