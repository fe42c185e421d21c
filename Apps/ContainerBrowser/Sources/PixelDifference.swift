// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit

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
        var moving = [Bool](repeating: false, count: total)
        for other in others where other.pixels.count == reference.pixels.count {
            for pixel in 0..<total where !Self.same(reference, other, at: pixel) { moving[pixel] = true }
        }
        count = (0..<total).count { !moving[$0] && !Self.same(reference, picture, at: $0) }
        ignored = moving.count { $0 }
    }

    private static func same(_ left: PageSnapshot, _ right: PageSnapshot, at pixel: Int) -> Bool {
        let offset = pixel * 4
        return (offset..<offset + 4).allSatisfy { left.pixels[$0] == right.pixels[$0] }
    }
}
