// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What happened since a table library was opened.
public struct TableCounters: Sendable, Hashable {
    /// Files fetched in the background.
    public var downloads = 0
    /// Files that could not be fetched in the background; each try counts.
    public var failedDownloads = 0
    /// Files fetched because a page asked.
    public var fills = 0
    /// Files that could not be fetched when a page asked; the request went to the next loader.
    public var failedFills = 0
    /// Files that the store could not read when a page asked.
    public var unreadableFiles = 0
    /// Files of the background that were given up, to be fetched on first use.
    public var givenUp = 0
    /// Calls that keep or remove something, and that the store refused.
    public var failedWrites = 0
    /// Documents that could not be understood when the library was opened.
    public var damagedDocuments = 0
}
