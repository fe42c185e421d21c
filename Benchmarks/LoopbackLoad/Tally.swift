// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The results of requests.
struct Tally: Sendable {
    var errors = 0
    var firstError: String?
    /// The latencies of the responses in microseconds.
    var latencies: [UInt32] = []
    /// The number of responses before the end of the schedule.
    var inTime = 0

    mutating func fail(_ error: String) {
        errors += 1
        if firstError == nil { firstError = error }
    }

    mutating func add(_ other: Tally) {
        errors += other.errors
        firstError = firstError ?? other.firstError
        latencies += other.latencies
        inTime += other.inTime
    }
}

/// The printed result of a load.
struct LoadResult: Sendable, Encodable {
    let connections: Int
    let requests: Int
    let errors: Int
    let firstError: String?
    /// The number of responses per second before the end of the schedule.
    let throughput: Double
    /// The latencies in milliseconds.
    let p50: Double
    let p99: Double
    let p999: Double
    let max: Double

    init(_ tally: Tally, connections: Int, seconds: Double) {
        let sorted = tally.latencies.sorted()
        func part(_ share: Double) -> Double {
            guard let last = sorted.last else { return 0 }
            let index = Int((Double(sorted.count) * share).rounded(.up)) - 1
            return Double(sorted.indices.contains(index) ? sorted[index] : last) / 1_000
        }
        self.connections = connections
        requests = sorted.count
        errors = tally.errors
        firstError = tally.firstError
        throughput = Double(tally.inTime) / seconds
        p50 = part(0.5)
        p99 = part(0.99)
        p999 = part(0.999)
        max = part(1)
    }
}
