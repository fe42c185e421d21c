// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine
    internal import WebKit

    // Conversion of the navigation events of WebKit to signals.
    extension WKWebViewView {
        func started(_ navigation: WKNavigation?) {
            guard location.start(navigation, url: engineURL) else { return }
            // The start of the navigation that a document replaces was reported.
            guard !given.takeReplacement(navigation) else { return }
            stopReturn()
            send(.started(url: engineURL))
        }

        func redirected(_ navigation: WKNavigation?) { location.redirect(navigation, to: engineURL) }

        func committed(_ navigation: WKNavigation?) {
            let isReported = location.commit(navigation, url: engineURL)
            given.commit(navigation)?.onShow()
            methods.commit()
            enginePrompts.withdrawAll()
            scriptCalls.endAll(with: .pageGone)
            for handler in messageHandlers { handler.documentChanged() }
            if isReported { send(.committed(url: location.documentURL)) }
        }

        func finished(_ navigation: WKNavigation?) {
            if location.finish(navigation) { send(.finished(url: location.documentURL)) }
        }

        func failed(_ navigation: WKNavigation?, _ error: any Error, isCommitted: Bool) {
            let url = location.requestedURL ?? location.navigationURL
            let end = location.fail(navigation)
            guard end != .ignored else { return }
            let failure = LoadFailure(error, at: url)
            methods.end()
            if !isCommitted {
                restoreDocumentScript()
                if failure.kind == .failed { given.uncommitted = 0 }
                if failure.kind == .failed, end == .other, giveReturn(after: failure) { return }
            }
            report(failure, end)
        }

        func report(_ failure: LoadFailure, _ end: ViewLocation.Failure) {
            let url = failure.error.location ?? ""
            switch end {
            case .load(let requested): send(.failed(url: requested, error: failure.error))
            case .other where failure.kind == .failed: send(.failed(url: url, error: failure.error))
            case .other: send(.stopped(url: url))
            case .ignored: break
            }
        }

        func processEnded() {
            isAlive = false
            hasProcess = false
            loadTask?.cancel()
            location.endProcess()
            methods.end()
            cancelDecisions()
            (given.arrival, given.failedReturn, given.uncommitted) = (nil, nil, 0)
            enginePrompts.withdrawAll()
            scriptCalls.endAll(with: .viewEnded)
            for handler in messageHandlers { handler.documentChanged() }
            send(.processEnded(reason: "the web process ended"))
        }
    }
#endif
