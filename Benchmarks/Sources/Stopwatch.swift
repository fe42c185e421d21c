// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The error of a benchmark whose result is not the expected one.
struct Failure: Error {}

/// Measures times in seconds and calculates medians.
enum Stopwatch {
    static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try await body()
        return (clock.now - start) / .seconds(1)
    }

    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try body()
        return (clock.now - start) / .seconds(1)
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard let middle = sorted.dropFirst(sorted.count / 2).first else { return 0 }
        return middle
    }
}
