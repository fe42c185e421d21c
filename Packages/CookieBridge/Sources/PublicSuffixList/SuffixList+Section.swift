// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension SuffixList {
    /// Which part of the list counts.
    public enum Section: Sendable, Hashable {
        /// What registries of the domain name system allot.
        case icann
        /// Those, and what others allot to their customers: `github.io`. Browsers bound cookies by both.
        case all
    }
}
