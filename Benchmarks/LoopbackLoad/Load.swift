// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import NIOCore
internal import NIOPosix

/// Connections that ask for so long.
struct Load: Sendable {
    /// How many connections are made at a time: engines do not make hundreds at once, and listeners have a queue.
    private static let batch = 16
    /// How long after the end an answer may still come.
    private static let patience = TimeAmount.seconds(10)
    let target: LoadTarget
    let connections: Int
    let rate: Double?
    let duration: Double

    func run(on group: any EventLoopGroup) async throws -> LoadResult {
        var opened: [NIOLoopBound<LoadHandler>] = []
        while opened.count < connections {
            let count = min(opened.isEmpty ? 1 : Self.batch, connections - opened.count)
            opened += try await withThrowingTaskGroup(of: NIOLoopBound<LoadHandler>.self) { tasks in
                for _ in 0..<count { tasks.addTask { try await target.connect(on: group) } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
        }
        CommandOutput.log("connected: \(opened.count)")
        // From a little later on, so that all know when.
        let start = NIODeadline.now() + .milliseconds(100)
        let end = start + TimeAmount.nanoseconds(Int64(duration * 1e9))
        var tallies: [EventLoopFuture<Tally>] = []
        for (number, connection) in opened.enumerated() {
            // Requests are spread evenly: each connection has its turn, in the order of the connections.
            let schedule = rate.map { rate in
                LoadHandler.Schedule(
                    first: start + TimeAmount.nanoseconds(Int64(Double(number) / rate * 1e9)),
                    interval: .nanoseconds(Int64(Double(connections) / rate * 1e9)), end: end)
            }
            let plan = schedule ?? LoadHandler.Schedule(first: start, interval: nil, end: end)
            tallies.append(
                connection.eventLoop.flatSubmit {
                    connection.value.start(plan, patience: Self.patience)
                })
        }
        var all = Tally()
        for tally in tallies { all.add(try await tally.get()) }
        return LoadResult(all, connections: opened.count, seconds: duration)
    }
}
