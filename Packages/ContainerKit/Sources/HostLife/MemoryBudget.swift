// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The division of the container's memory ceiling among its components. Each share is the limit of one component.
///
/// The shares add up to the ceiling. The last two are limits of one file at a time. Memory of views belongs to the
/// engine and is not included. Data that is streamed is not included either; each request holds one chunk at a time.
package struct MemoryBudget: Sendable, Hashable {
    /// The sum of all shares, in bytes.
    package let ceiling: Int
    /// The request bodies of all pages that have passed through a bridge and are not sent yet: one half.
    package let bodies: Int
    /// Small files of packages and of the resource table: one eighth.
    package let packages: Int
    /// The responses in the HTTP cache: one eighth.
    package let httpCache: Int
    /// The prefetched responses that no page has requested yet: one sixteenth.
    package let prefetch: Int
    /// A package file that is downloaded and held until it is verified: one sixteenth.
    package let partial: Int
    /// A style sheet that is held until it is verified: one eighth.
    package let checked: Int

    /// Creates a budget.
    /// - Parameter ceiling: the sum of all shares, in bytes; a negative value counts as zero.
    package init(ceiling: Int) {
        let ceiling = max(0, ceiling)
        self.ceiling = ceiling
        packages = ceiling / 8
        httpCache = ceiling / 8
        checked = ceiling / 8
        prefetch = ceiling / 16
        partial = ceiling / 16
        bodies = ceiling - packages - httpCache - checked - prefetch - partial
    }
}
