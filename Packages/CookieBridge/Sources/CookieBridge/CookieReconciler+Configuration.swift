// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension CookieReconciler {
    /// How a reconciler works.
    public struct Configuration: Sendable {
        /// What is kept at most.
        var limits = Reconciliation.Limits()
        /// How long a barrier waits. Default: 3 seconds.
        public var barrierLimit = Duration.seconds(3)
        /// How long an answer waits for its cookies. Default: 2 seconds.
        public var handOverLimit = Duration.seconds(2)
        /// How long a clearing waits for the stores. Default: 10 seconds.
        public var clearLimit = Duration.seconds(10)
        /// How long a store is left alone after a failure; twice as long after each further one. Default: 50 milliseconds.
        public var firstWait = Duration.milliseconds(50)
        /// The longest such time. Default: 5 seconds.
        public var longestWait = Duration.seconds(5)
        /// Who may wait at the same time, for barriers, answers and clearings together. Default: 256; one more is turned away.
        public var maxWaiters = 256
        /// Is told what went wrong for good. Must not block. Default: nobody.
        var report: @Sendable (Reconciliation.Fault) -> Void = { _ in }

        public init() {}

        /// How long a store is left alone after so many failures in a row.
        func wait(after failures: Int) -> Duration {
            var wait = firstWait
            for _ in 1..<max(2, min(failures, 32)) where failures > 1 && wait < longestWait { wait *= 2 }
            return min(wait, longestWait)
        }
    }
}
