// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The compiler attributes `timespec` to one of these modules.
internal import CDispatch
internal import CoreFoundation
internal import Foundation

/// The memory of a process family: this process and the engine's child processes.
struct MemorySample {
    /// The proportional set size (PSS) of each kind in megabytes.
    var (own, web, network) = (0.0, 0.0, 0.0)

    var all: Double { own + web + network }
}

// Measurements of this process and its descendants.
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

    /// Checks that the median of the last quarter of the samples exceeds that of the first quarter by less than 5 %.
    /// The first tenth, at least two samples, does not count, because caches fill during that time.
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

    /// Returns the number of open files of this process.
    func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// Returns three CPU times in milliseconds: of this process without the engine's memory pressure monitor, of the
    /// monitor, and of the engine's processes. The monitor is a WebKitGTK thread in this process.
    @MainActor
    func processorTime(of body: () async throws -> Void) async throws -> (own: Double, watch: Double, engine: Double) {
        let engine = try engineTime()
        let watch = try watchTime()
        // The CPU time of this process is read immediately before and after the body, because reading the other times
        // takes CPU time.
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

    /// Returns the CPU time of a process in milliseconds, including its ended threads.
    private func processorTime(of process: pid_t) -> Double {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    /// Returns the CPU time of a thread in milliseconds. The first number of the file is in nanoseconds.
    private func processorTime(of thread: String) -> Double {
        let text = (try? String(contentsOfFile: thread + "/schedstat", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1_000_000
    }
}
