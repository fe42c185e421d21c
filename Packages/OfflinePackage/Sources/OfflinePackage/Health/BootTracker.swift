// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// Which pages boot, and which generations have answered the documents that they show: a shared package is tried by pages
/// whose documents lie elsewhere. A value.
struct BootTracker {
    /// The most pages that are remembered; the oldest is forgotten for one more.
    static let limit = 1_024

    private struct Page {
        var isBooting = false
        /// The generations that it had when it began to boot; `nil` where nobody said that it did.
        var atBegin: Set<Int64>?
        /// At most one for each of the page's generations.
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
            // What has answered one document is not tried by the next, which may never report. A boot that no answer came
            // to yet goes on: it is this document's.
            if pages[id]?.answers.isEmpty == false { pages[id] = Page() }
        case .closed: pages[id] = nil
        }
        // They count up.
        if pages.count > Self.limit, let oldest = pages.keys.min() { pages[oldest] = nil }
    }

    func isBooting(_ page: PageID) -> Bool {
        pages[page.rawValue]?.isBooting ?? false
    }

    /// Whether a page began to boot before it had a generation: what it shows came from elsewhere.
    func began(_ page: PageID, without generation: Int64) -> Bool {
        pages[page.rawValue]?.atBegin.map { !$0.contains(generation) } ?? false
    }

    func has(_ page: PageID, answersOf generation: Int64) -> Bool {
        pages[page.rawValue]?.answers.contains(generation) ?? false
    }
}
