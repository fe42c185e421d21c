// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// The boot state of open pages and the generations that have served their documents. A value type.
///
/// A shared package is on trial also in pages whose documents lie outside it.
struct BootTracker {
    /// The maximum number of pages. The oldest page is removed if the limit is exceeded.
    static let limit = 1_024

    private struct Page {
        var isBooting = false
        /// The pinned generations when the page began to boot, or `nil` if no `began` report was received.
        var atBegin: Set<Int64>?
        /// The generations that have served the page's document.
        var answers: Set<Int64> = []
    }

    private var pages: [UInt64: Page] = [:]

    mutating func record(_ report: BootReport) {
        let id = report.page.id.rawValue
        switch report.kind {
        case .began:
            pages[id, default: Page()].isBooting = true
            pages[id]?.atBegin = Set(report.page.generations.map(\.number))
        case .healthy, .failed: pages[id]?.isBooting = false
        case .answered(let generation):
            guard report.page.generations.contains(generation) else { return }
            pages[id, default: Page()].answers.insert(generation.number)
        case .moved:
            // A generation that served a document is not on trial in the next document, because that document may never
            // report. A boot without a served request continues for the new document.
            if pages[id]?.answers.isEmpty == false { pages[id] = Page() }
        case .closed: pages[id] = nil
        }
        // Page identifiers increase, so the smallest one is the oldest.
        if pages.count > Self.limit, let oldest = pages.keys.min() { pages[oldest] = nil }
    }

    func isBooting(_ page: PageID) -> Bool {
        pages[page.rawValue]?.isBooting ?? false
    }

    /// Returns a Boolean value that indicates whether a page began to boot before it was pinned to a generation.
    func began(_ page: PageID, without generation: Int64) -> Bool {
        pages[page.rawValue]?.atBegin.map { !$0.contains(generation) } ?? false
    }

    func has(_ page: PageID, answersOf generation: Int64) -> Bool {
        pages[page.rawValue]?.answers.contains(generation) ?? false
    }
}
