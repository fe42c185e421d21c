// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Says which site a URL belongs to.
///
/// Pages of one top-level site share what is cached for them; other sites see nothing of it, not even by the time an
/// answer takes.
public protocol SitePartitioning: Sendable {
    /// The site of an absolute URL, as a short text without control characters.
    func site(of url: String) -> String
}
