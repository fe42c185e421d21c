// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import NIOCore
internal import NIOPosix

/// A number of connections that send requests to a server for a duration in seconds.
struct Load: Sendable {
    /// The number of connections that are opened concurrently. Engines do not open hundreds at once, and listeners have
    /// a queue limit.
    private static let batch = 16
    /// The time after the end in which a response may still arrive.
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
        // The start is in the future, so that all connections can begin at the same time.
        let start = NIODeadline.now() + .milliseconds(100)
        let end = start + TimeAmount.nanoseconds(Int64(duration * 1e9))
        var tallies: [EventLoopFuture<Tally>] = []
        for (number, connection) in opened.enumerated() {
            // The requests are spread evenly over the connections, in the order of the connections.
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
