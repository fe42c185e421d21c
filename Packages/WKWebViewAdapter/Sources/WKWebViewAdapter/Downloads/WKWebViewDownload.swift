// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import AsyncSupport
    internal import Foundation
    internal import SystemSupport
    internal import WebEngine
    internal import WebKit

    /// A download of a view, as the delegate of WebKit's object.
    ///
    /// The download waits for ``save(to:_:)`` or ``cancel()`` without a time limit. If the receiver releases it before,
    /// the download is cancelled. From ``save(to:_:)`` on, it exists until its end, also if the view ends.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class WKWebViewDownload: NSObject, EngineDownload {
        /// A function that answers an authentication challenge.
        typealias ChallengeHandler =
            @MainActor (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?)

        private enum State {
            /// The response has not begun.
            case waiting
            /// The response waits for its destination.
            case offered(CompletionGuard<URL?>)
            /// The bytes are written to a path.
            case saving(String)
            case ended
        }

        private(set) var head: EngineDownloadHead
        private let download: WKDownload
        private let clock: any Clock<Duration>
        private let answer: ChallengeHandler
        /// The receiver of the view's downloads when this download began. Another page may use the view by now.
        private var onDownload: (@MainActor (ViewDownload) -> Void)?
        /// A closure that is called when the download no longer waits for its response.
        private var onBegin: (@MainActor (WKWebViewDownload) -> Void)?
        private var state = State.waiting
        private var receive: (@MainActor (EngineDownloadSignal) -> Void)?
        private var failure: EngineError?
        /// The number of bytes that ``receive`` has got.
        private var reported: Int64 = 0
        private var polling: Task<Void, Never>?
        private var cancelling: Task<Void, Never>?
        /// This object, while bytes are written. WebKit does not retain its delegates.
        private var retained: WKWebViewDownload?

        /// The delays between reads of the progress, which cannot be observed without Objective-C. The delay doubles
        /// while no bytes arrive.
        private static let pollingDelays = (shortest: Duration.milliseconds(100), longest: Duration.seconds(1))
        /// The time limit for WebKit to confirm a cancellation.
        private static let cancelLimit = Duration.seconds(5)

        /// Creates the delegate of a download.
        /// - Parameters:
        ///   - download: the download that WebKit has just created.
        ///   - isUserGesture: a Boolean value that indicates whether a user gesture caused the download.
        ///   - clock: the clock of the progress and of the time limit.
        ///   - answer: a closure that answers authentication challenges.
        ///   - onDownload: the receiver of the download.
        ///   - onBegin: a closure that is called when the download no longer waits for its response.
        init(
            _ download: WKDownload, isUserGesture: Bool, clock: any Clock<Duration>,
            answer: @escaping ChallengeHandler, onDownload: @escaping @MainActor (ViewDownload) -> Void,
            onBegin: @escaping @MainActor (WKWebViewDownload) -> Void
        ) {
            self.download = download
            self.clock = clock
            self.answer = answer
            self.onDownload = onDownload
            self.onBegin = onBegin
            head = EngineDownloadHead(
                url: download.originalRequest?.url?.absoluteString ?? "", suggestedName: nil, mediaType: nil,
                length: nil, status: nil, isUserGesture: isUserGesture)
            super.init()
            download.delegate = self
        }

        // MARK: Receiver

        func save(to path: String, _ receive: @escaping @MainActor (EngineDownloadSignal) -> Void) {
            guard case .offered(let reply) = state else {
                return receive(.failed(failure ?? EngineError(.loadFailed, "the download ended", at: head.url)))
            }
            if let problem = Self.problem(with: path) {
                state = .ended
                reply.complete(nil)
                return receive(.failed(EngineError(.storage, problem, at: path)))
            }
            self.receive = receive
            state = .saving(path)
            retained = self
            reply.complete(URL(fileURLWithPath: path, isDirectory: false))
            poll()
        }

        /// Returns the reason for which WebKit cannot write to a path; `nil` if there is none.
        private static func problem(with path: String) -> String? {
            guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
                return "not the absolute path of a file"
            }
            // A link is not followed, because WebKit would write to its target.
            guard (try? FileStatus(path: path, followsLinks: false)) == nil else { return "the file exists" }
            let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] } ?? ""
            do {
                let status = try FileStatus(path: folder.isEmpty ? "/" : String(folder), followsLinks: true)
                return status.kind == .directory ? nil : SystemError.reason(of: ENOTDIR)
            } catch {
                return error.reason
            }
        }

        func cancel() {
            switch state {
            case .waiting:
                begin(.ended)
                download.cancel(nil)
            case .offered(let reply):
                state = .ended
                reply.complete(nil)
            case .saving:
                guard cancelling == nil else { return }
                polling?.cancel()
                cancelling = Task { [download, clock] in
                    _ = await Task { _ = await download.cancel() }.value(within: Self.cancelLimit, clock: clock)
                    end(.failed(EngineError(.loadFailed, "the download was cancelled", at: head.url)))
                }
            case .ended: break
            }
        }

        // MARK: State

        /// Ends the wait for the response.
        private func begin(_ next: State) {
            let onBegin = onBegin
            (self.onBegin, onDownload, state) = (nil, nil, next)
            onBegin?(self)
        }

        private func poll() {
            polling = Task { [weak self, clock] in
                var delay = Self.pollingDelays.shortest
                while (try? await clock.sleep(for: delay)) != nil {
                    guard let self, case .saving = state else { return }
                    delay = reportProgress() ? Self.pollingDelays.shortest : min(delay * 2, Self.pollingDelays.longest)
                }
            }
        }

        /// Reports the number of bytes if it has changed.
        /// - Returns: `true` if it has changed.
        private func reportProgress() -> Bool {
            let bytes = download.progress.completedUnitCount
            guard bytes > reported else { return false }
            reported = bytes
            receive?(.received(bytes))
            return true
        }

        private func end(_ signal: EngineDownloadSignal, isCreated: Bool = true) {
            guard case .saving(let path) = state else { return }
            state = .ended
            polling?.cancel()
            // Unlike a removal by FileManager, this removes no folder.
            if case .failed = signal, isCreated { unlink(path) }
            let receive = receive
            (self.receive, retained) = (nil, nil)
            receive?(signal)
        }
    }

    extension WKWebViewDownload: WKDownloadDelegate {
        func download(
            _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String,
            completionHandler: @escaping @MainActor @Sendable (URL?) -> Void
        ) {
            let reply = CompletionGuard(otherwise: nil, completionHandler)
            guard case .waiting = state, let onDownload else { return reply.complete(nil) }
            let http = response as? HTTPURLResponse
            let coding = http?.value(forHTTPHeaderField: "Content-Encoding")?.lowercased() ?? "identity"
            head.url = response.url?.absoluteString ?? head.url
            head.suggestedName = suggestedFilename
            head.mediaType = response.mimeType
            // The length of an encoded response is not the length of the saved file.
            let length = response.expectedContentLength
            head.length = length >= 0 && coding == "identity" ? length : nil
            head.status = http?.statusCode
            begin(.offered(reply))
            onDownload(.engine(self))
        }

        func download(
            _ download: WKDownload, didReceive challenge: URLAuthenticationChallenge,
            completionHandler:
                @escaping @MainActor @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) ->
                Void
        ) {
            let (disposition, credential) = answer(challenge)
            completionHandler(disposition, credential)
        }

        func downloadDidFinish(_ download: WKDownload) {
            _ = reportProgress()
            end(.finished)
        }

        func download(_ download: WKDownload, didFailWithError error: any Error, resumeData: Data?) {
            let failure = EngineError(ofDownload: error, at: head.url)
            switch state {
            case .waiting: begin(.ended)
            case .offered(let reply):
                self.failure = failure
                state = .ended
                reply.complete(nil)
            case .saving:
                let code = (error as NSError).domain == NSURLErrorDomain ? (error as NSError).code : 0
                end(.failed(failure), isCreated: code != URLError.Code.cannotCreateFile.rawValue)
            case .ended: break
            }
        }
    }
#endif
