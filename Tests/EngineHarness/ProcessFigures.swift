// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CoreFoundation
internal import Foundation

/// Memory of the processes that belong together: this one, and those of the engine below it.
struct MemorySample {
    /// In megabytes, the share in the memory (PSS) of each kind.
    var (own, web, network) = (0.0, 0.0, 0.0)

    var all: Double { own + web + network }
}

// What the system says of this process and of all below it.
extension EngineCheck {
    func familyMemory() throws -> MemorySample {
        var sample = MemorySample()
        sample.own = memory(of: getpid())
        sample.web = try childProcesses(named: "WebKitWebProces").reduce(0) { $0 + memory(of: $1) }
        sample.network = try childProcesses(named: "WebKitNetworkPr").reduce(0) { $0 + memory(of: $1) }
        return sample
    }

    private func memory(of process: pid_t) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Pss:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1_024
    }

    /// The last quarter of the samples is no more than 5 % above the first, medians compared; the first tenth of them, two
    /// at least, do not count: caches fill meanwhile.
    func expectLevel(_ samples: [MemorySample]) throws {
        let samples = Array(samples.dropFirst(max(2, samples.count / 10)))
        try expect(samples.count >= 6 && samples.allSatisfy { $0.all > 0 }, "too few samples, or empty ones")
        let quarter = max(1, samples.count / 4)
        let median = { (part: ArraySlice<MemorySample>, figure: (MemorySample) -> Double) in
            part.map(figure).sorted()[part.count / 2]
        }
        let (first, last) = (samples.prefix(quarter), samples.suffix(quarter))
        for (name, figure) in [
            ("this process", \MemorySample.own), ("web processes", \.web), ("network process", \.network),
        ] {
            print(
                String(
                    format: "memory of %@: %.0f MB, %.0f MB", name, median(first) { $0[keyPath: figure] },
                    median(last) { $0[keyPath: figure] }))
        }
        let growth = (median(last, \.all) / median(first, \.all) - 1) * 100
        print(
            String(
                format: "memory of all processes: %.0f MB at first, %.0f MB at last: %+.1f %%", median(first, \.all),
                median(last, \.all), growth))
        try expect(growth < 5, "memory grows: \(samples.map { Int($0.all) })")
    }

    /// How many files this process has open.
    func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// Milliseconds of CPU that this process takes meanwhile, without the engine's watch over the system's memory, a
    /// thread of WebKitGTK's in it; that watch; and the engine's processes.
    @MainActor
    func processorTime(of body: () async throws -> Void) async throws -> (own: Double, watch: Double, engine: Double) {
        let engine = try engineTime()
        let watch = try watchTime()
        // Read last before and first after: to read the others takes time, too.
        let all = processorTime(of: getpid())
        try await body()
        let ran = processorTime(of: getpid()) - all
        let watched = try watchTime() - watch
        return (ran - watched, watched, try engineTime() - engine)
    }

    private func watchTime() throws -> Double {
        let threads = "/proc/self/task"
        return try FileManager.default.contentsOfDirectory(atPath: threads).reduce(0) { sum, thread in
            let name = try? String(contentsOfFile: "\(threads)/\(thread)/comm", encoding: .utf8)
            return name?.hasPrefix("PressureMonitor") == true ? sum + processorTime(of: "\(threads)/\(thread)") : sum
        }
    }

    private func engineTime() throws -> Double {
        try ["WebKitWebProces", "WebKitNetworkPr"].flatMap { try childProcesses(named: $0) }
            .reduce(0) { $0 + processorTime(of: $1) }
    }

    /// Threads that have ended count too.
    private func processorTime(of process: pid_t) -> Double {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    /// The first number is the time on a processor, in nanoseconds.
    private func processorTime(of thread: String) -> Double {
        let text = (try? String(contentsOfFile: thread + "/schedstat", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1_000_000
    }
}
