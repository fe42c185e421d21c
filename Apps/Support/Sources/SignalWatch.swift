// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Dispatch
internal import Foundation

/// Turns SIGINT and SIGTERM into a call, so that work can end tidily; a second signal ends the process at once.
///
/// Not `Sendable`: watches while its owner holds it.
final class SignalWatch {
    /// The first signal that came.
    private final class First: Sendable {
        private let number = Mutex<Int32?>(nil)

        var value: Int32? { number.withLock { $0 } }

        /// Notes a signal, and returns whether it was the first.
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

    /// The signal that came, if one did.
    var received: Int32? { first.value }

    /// - Parameter action: called once, on a queue of its own.
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

    /// Ends the process as the signal would have, so that a shell sees what happened.
    static func die(of number: Int32) -> Never {
        signal(number, SIG_DFL)
        raise(number)
        _exit(128 + number)
    }
}
