// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    /// A completion handler of WebKit, which is called exactly once.
    ///
    /// WebKit raises an exception if a handler is released without a call. If this object is released first, the
    /// handler receives the fallback in a later turn of the main actor.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class CompletionGuard<Value: Sendable> {
        private var handler: (@MainActor @Sendable (Value) -> Void)?
        private let fallback: Value

        /// - Parameters:
        ///   - fallback: the value for a handler that is not called otherwise.
        ///   - handler: the completion handler.
        init(otherwise fallback: Value, _ handler: @escaping @MainActor @Sendable (Value) -> Void) {
            self.fallback = fallback
            self.handler = handler
        }

        /// Calls the handler. Only the first call has an effect.
        func complete(_ value: Value) {
            guard let handler else { return }
            self.handler = nil
            handler(value)
        }

        // Not isolated: an isolated deinitialization needs iOS 18.4 or macOS 15.4.
        deinit {
            guard let handler else { return }
            Task { @MainActor [fallback] in handler(fallback) }
        }
    }
#endif
