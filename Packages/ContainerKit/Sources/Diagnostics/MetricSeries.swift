// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The names of a container's metrics; `docs/seeing.md` describes them. The names are public interface, because
/// dashboards refer to them.
package enum MetricName: String, CaseIterable {
    case pages = "containerkit.pages"
    case pageFailures = "containerkit.page.failures"
    case checkOut = "containerkit.page.check_out"
    case firstByte = "containerkit.page.first_byte"
    case firstContentfulPaint = "containerkit.page.first_contentful_paint"
    case domReady = "containerkit.page.dom_ready"
    case load = "containerkit.page.load"
    case requests = "containerkit.requests"
    case requestBytes = "containerkit.request.bytes"
    case requestHead = "containerkit.request.head"
    case processEnds = "containerkit.process_ends"
    case blankPageSteps = "containerkit.white_page.steps"
    case pageRequests = "containerkit.page_requests"
    case packages = "containerkit.packages"
    case checkOuts = "containerkit.pool.check_outs"
    case viewEnds = "containerkit.pool.ended"
    case prefetch = "containerkit.prefetch"
    case prefetchSaved = "containerkit.prefetch.saved_ms"
    case prefetchWastedBytes = "containerkit.prefetch.wasted_bytes"
    case drops = "containerkit.drops"
    case damage = "containerkit.damage"
}

/// The key of one series: a name and its dimensions.
package struct MetricKey: Hashable {
    package let name: MetricName
    package let dimensions: [String: String]

    package init(_ name: MetricName, _ dimensions: [String: String] = [:]) {
        self.name = name
        self.dimensions = dimensions
    }

    /// The dimensions, sorted by name.
    var sortedDimensions: [(String, String)] {
        dimensions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
