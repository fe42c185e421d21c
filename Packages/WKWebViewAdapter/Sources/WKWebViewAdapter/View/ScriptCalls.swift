// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import WebEngine
    internal import WebKit

    /// The calls of scripts whose results depend on the page. WebKit may never call back if a promise never settles, so
    /// that they end here when the page ends.
    @MainActor
    final class ScriptCalls {
        private var calls: [Int: CheckedContinuation<String, any Error>] = [:]
        private var lastCall = 0

        /// Starts a call and returns its result as JSON.
        /// - Parameter start: a closure that starts the call with a closure for its result.
        /// - Throws: `EngineError`, or `CancellationError` if the task is cancelled.
        func run(_ start: (@escaping @MainActor (Result<String, any Error>) -> Void) -> Void) async throws -> String {
            try Task.checkCancellation()
            lastCall += 1
            let id = lastCall
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    calls[id] = continuation
                    start { [weak self] in self?.end(id, with: $0) }
                }
            } onCancel: {
                Task { @MainActor [weak self] in self?.end(id, with: .failure(CancellationError())) }
            }
        }

        /// Ends all calls.
        func endAll(with error: EngineError) {
            for id in Array(calls.keys) { end(id, with: .failure(error)) }
        }

        private func end(_ id: Int, with result: Result<String, any Error>) {
            calls.removeValue(forKey: id)?.resume(with: result)
        }
    }

    extension EngineError {
        /// Creates the error of a script call that failed in WebKit.
        init(script error: any Error) {
            let error = error as? WKError
            // The name of the key is that of WebKit's sources; it has no public constant.
            let message = error?.errorUserInfo["WKJavaScriptExceptionMessage"] as? String
            let text = (message ?? "the script failed").split(whereSeparator: \.isNewline).joined(separator: " ")
            switch error?.code {
            case .webContentProcessTerminated, .webViewInvalidated: self = .viewEnded
            case .javaScriptResultTypeIsUnsupported: self.init(.script, "the result has no JSON form")
            default: self.init(.script, text)
            }
        }

        static let pageGone = EngineError(.pageGone, "another page replaced the page")
        static let viewEnded = EngineError(.processEnded, "the view has ended")
    }

    extension ScriptWorld {
        /// The world of WebKit.
        @MainActor var contentWorld: WKContentWorld {
            switch self {
            case .page: .page
            case .isolated(let name): .world(name: name)
            }
        }

        /// The world of the adapter's own calls.
        static let adapter = ScriptWorld.isolated(name: "containerkit-adapter")
    }
#endif
