// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The permission to download an archive in the background, until something cannot wait for it.
///
/// Isolation: any; all members may be called concurrently.
final class BackgroundTurn: Sendable {
    /// The manifest URL of the update.
    let manifestURL: String
    private let ending: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init(of manifestURL: String) {
        self.manifestURL = manifestURL
        (ending, continuation) = AsyncStream.makeStream()
    }

    /// Ends the turn. The running and every later ``run(_:)`` fail.
    func end() {
        continuation.finish()
    }

    /// Runs a download, and cancels it when the turn ends. Call this once.
    /// - Returns: the result of `body`, or `CancellationError` if the turn ended first or the task is cancelled.
    func run(_ body: @escaping @Sendable () async throws -> Void) async -> Result<Void, any Error> {
        await withTaskGroup(of: Result<Void, any Error>.self) { group in
            group.addTask {
                do {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { [ending] in
                for await _ in ending {}
                return .failure(CancellationError())
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(CancellationError())
        }
    }
}
