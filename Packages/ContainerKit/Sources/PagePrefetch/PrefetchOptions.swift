// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Prefetch

/// What is asked for when a page is opened, before the page asks for it.
///
/// Only pages that are covered have anything fetched ahead, and only what comes through the container anyway: neither
/// what rules or the deny list keep from it, nor what a package, a preview or the resource table has.
///
/// A page's own request takes the answer. A page that asks explicitly, by the message `PREFETCHCALL`, can do so where
/// `Configuration.legacyMessages` is set; each answer is given once, whether it comes in time or not.
public struct PrefetchOptions: Sendable {
    /// Which requests each page will make; none by default. `Container.setPrefetchTable(_:)` changes it later, and so
    /// does each one that ``tableSource`` brings.
    public var table: PrefetchTable?
    /// Where the table is fetched from, at launch and when the app comes to the foreground; nowhere by default. The
    /// last good one is kept, and goes before ``table`` in the next launch.
    public var tableSource: PrefetchTableSource?
    /// Whether the document of every covered page that is opened is asked for ahead, too; false by default. It gains
    /// the time of the view's check-out. In modes where the engine keeps answers itself it costs a request where the
    /// engine would have made none.
    public var fetchesDocument = false
    /// Whether requests to other origins than the page's are made with their cookies; false by default, as scripts make
    /// them who do not ask for more. A page's request with cookies then goes on alone, and one without them where this
    /// is true.
    public var sendsCookiesToOtherOrigins = false
    /// How long answers wait, how much they may hold, and in which fields the page's request may differ; see
    /// `PrefetchLoader.Configuration` for the defaults.
    public var loader = PrefetchLoader.Configuration()

    /// The default options.
    public init() {}
}
