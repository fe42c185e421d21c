// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The measurements of one opening. Times are in milliseconds since the call to open; `nil` means not measured.
struct RunResult: Encodable, Sendable {
    /// The HTTP status of the document.
    var status: Int?
    var checkOutMs: Double?
    var responseStartMs: Double?
    var firstContentfulPaintMs: Double?
    var domReadyMs: Double?
    var loadMs: Double?
    /// The time at which the page was usable; `nil` without an expression.
    var readyMs: Double?
    var requests = RequestCount()
    /// The number of responses with an error status.
    var errorStatuses: Int { requests.errorStatuses }
    var bytesFromNetwork: Int64?
    var consoleErrors: [String] = []
    var screenshot: String?

    init() {}

    /// Creates a result from the measurements of a page.
    /// - Parameter called: The time of the call to open, in milliseconds since 1970.
    init(_ readings: PageReadings, since called: Double) {
        func sinceCall(_ time: Double?) -> Double? { time.map { $0 + readings.origin - called } }
        responseStartMs = sinceCall(readings.responseStart)
        firstContentfulPaintMs = sinceCall(readings.firstContentfulPaint)
        domReadyMs = sinceCall(readings.domReady)
        loadMs = sinceCall(readings.load)
        consoleErrors = readings.errors
    }

    private enum CodingKeys: CodingKey {
        case status, checkOutMs, responseStartMs, firstContentfulPaintMs, domReadyMs, loadMs, readyMs, requests,
            errorStatuses, bytesFromNetwork, consoleErrors, screenshot
    }

    // Missing numbers are encoded as `null`, not omitted.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(checkOutMs?.rounded(toPlaces: 3), forKey: .checkOutMs)
        try container.encode(responseStartMs?.rounded(toPlaces: 3), forKey: .responseStartMs)
        try container.encode(firstContentfulPaintMs?.rounded(toPlaces: 3), forKey: .firstContentfulPaintMs)
        try container.encode(domReadyMs?.rounded(toPlaces: 3), forKey: .domReadyMs)
        try container.encode(loadMs?.rounded(toPlaces: 3), forKey: .loadMs)
        // Unlike the other numbers, `readyMs` is omitted if it was not requested.
        try container.encodeIfPresent(readyMs?.rounded(toPlaces: 3), forKey: .readyMs)
        try container.encode(requests, forKey: .requests)
        try container.encode(errorStatuses, forKey: .errorStatuses)
        try container.encode(bytesFromNetwork, forKey: .bytesFromNetwork)
        try container.encode(consoleErrors, forKey: .consoleErrors)
        try container.encode(screenshot, forKey: .screenshot)
    }
}

extension RunResult {
    /// Returns the median of each number over several runs. For an even count, it is the mean of the middle two.
    static func median(of runs: [RunResult]) -> RunResult {
        var median = runs.last ?? RunResult()
        for number in [
            \RunResult.checkOutMs, \.responseStartMs, \.firstContentfulPaintMs, \.domReadyMs, \.loadMs, \.readyMs,
        ] {
            median[keyPath: number] = middle(of: runs.compactMap { $0[keyPath: number] })
        }
        median.bytesFromNetwork = middle(of: runs.compactMap { $0.bytesFromNetwork.map(Double.init) }).map { Int64($0) }
        for count in [
            \RunResult.requests.package, \.requests.prefetch, \.requests.memory, \.requests.disk, \.requests.network,
            \.requests.synthetic, \.requests.failed, \.requests.errorStatuses,
        ] {
            median[keyPath: count] = middle(of: runs.map { Double($0[keyPath: count]) }).map { Int($0) } ?? 0
        }
        return median
    }

    private static func middle(of values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let half = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
    }
}

extension Double {
    /// Returns the number rounded to the given number of decimal places.
    func rounded(toPlaces places: Int) -> Double {
        let factor = (0..<places).reduce(1.0) { factor, _ in factor * 10 }
        return (self * factor).rounded() / factor
    }
}
