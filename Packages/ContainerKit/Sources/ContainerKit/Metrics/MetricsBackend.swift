// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Metrics

/// One series: a name, and its dimensions.
struct MetricKey: Hashable {
    let name: MetricName
    let dimensions: [String: String]

    init(_ name: MetricName, _ dimensions: [String: String] = [:]) {
        self.name = name
        self.dimensions = dimensions
    }

    fileprivate var pairs: [(String, String)] { dimensions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}

/// Counters and timers by their series, each made once: making one takes a lock of the backend.
@MainActor
final class MetricsBackend {
    private let factory: any MetricsFactory
    private var counters: [MetricKey: Counter] = [:]
    private var timers: [MetricKey: Metrics.Timer] = [:]

    init(_ factory: any MetricsFactory) {
        self.factory = factory
    }

    func count(_ name: MetricName, _ dimensions: [String: String] = [:], by amount: Int = 1) {
        count(MetricKey(name, dimensions), by: amount)
    }

    func count(_ key: MetricKey, by amount: Int) {
        let counter =
            counters[key] ?? Counter(label: key.name.rawValue, dimensions: key.pairs, factory: factory)
        counters[key] = counter
        counter.increment(by: amount)
    }

    func record(_ time: Duration, as name: MetricName, _ dimensions: [String: String]) {
        let key = MetricKey(name, dimensions)
        let timer = timers[key] ?? Timer(label: name.rawValue, dimensions: key.pairs, factory: factory)
        timers[key] = timer
        timer.record(duration: time)
    }
}
