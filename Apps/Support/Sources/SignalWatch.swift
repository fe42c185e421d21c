// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Dispatch
internal import Foundation

/// A handler that calls a closure on SIGINT or SIGTERM, so that the command can clean up. A second signal ends the
/// process immediately.
///
/// It handles signals until it is deallocated.
final class SignalWatch {
    /// The first received signal.
    private final class First: Sendable {
        private let number = Mutex<Int32?>(nil)

        var value: Int32? { number.withLock { $0 } }

        /// Records a signal and returns a Boolean value that indicates whether it is the first.
        func record(_ signal: Int32) -> Bool {
            number.withLock { number in
                guard number == nil else { return false }
                number = signal
                return true
            }
        }
    }

    private let first = First()
    private let sources: [any DispatchSourceSignal]

    /// The first received signal, or `nil`.
    var received: Int32? { first.value }

    /// Starts handling signals.
    /// - Parameter action: A closure that is called once, on a private queue.
    init(_ action: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "signals")
        sources = [SIGINT, SIGTERM].map { [first] number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if first.record(number) { action() } else { _exit(128 + number) }
            }
            source.resume()
            return source
        }
    }

    /// Ends the process with the signal's default action, so that a shell sees the cause.
    static func die(of number: Int32) -> Never {
        signal(number, SIG_DFL)
        raise(number)
        _exit(128 + number)
    }
}
