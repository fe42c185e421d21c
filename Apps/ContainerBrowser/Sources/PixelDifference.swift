// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine

/// The difference between two pictures of a page.
struct PixelDifference: Sendable, Hashable {
    /// The number of pixels that differ.
    let count: Int
    /// The number of pixels that were not compared, because they differ between openings of the same variant.
    let ignored: Int
    let total: Int

    /// Compares two pictures.
    /// - Parameter others: Pictures of other openings of the same variant as `reference`. Pixels in which a picture
    ///   differs from `reference` are not compared.
    init(between reference: PageSnapshot, and picture: PageSnapshot, apartFrom others: some Sequence<PageSnapshot>) {
        total = reference.width * reference.height
        guard reference.width == picture.width, reference.height == picture.height else {
            count = total
            ignored = 0
            return
        }
        let expected = Self.pixels(of: reference)
        let found = Self.pixels(of: picture)
        var isMoving = [Bool](repeating: false, count: total)
        for other in others where other.pixels.count == reference.pixels.count {
            let pixels = Self.pixels(of: other)
            for pixel in 0..<total where pixels[pixel] != expected[pixel] { isMoving[pixel] = true }
        }
        count = (0..<total).count { !isMoving[$0] && expected[$0] != found[$0] }
        ignored = isMoving.count { $0 }
    }

    /// Returns the picture as one number per pixel.
    private static func pixels(of picture: PageSnapshot) -> [UInt32] {
        picture.pixels.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
    }
}
