// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebEngine

// Loads, and the documents that the app gives.
extension EngineContract {
    static let loadChecks = [
        EngineContractCheck("loadSignals", of: "ViewSignal") { run in
            _ = try run.serve()
            let view = try run.makeView()
            try run.expect(view.loading.lastLoad?.number, nil, "the last load of a new view")
            for (number, path) in ["a", "b?c#d"].enumerated() {
                let url = ContractRun.home + path
                let signals = try await run.load(url, in: view)
                try run.expect(signals, ["started", "committed \(url)", "finished \(url)"], "the signals")
                guard let last = view.loading.lastLoad else { continue }
                try run.expect(last.url, url, "the URL of the last load")
                try run.expect(last.number, UInt64(number + 1), "the number of the last load")
            }
        },
        EngineContractCheck("failedLoad", of: "ViewSignal.failed(url:error:)") { run in
            _ = try run.serve(["/failing": .failure])
            let view = try await run.open()
            let log = SignalLog(of: view)
            let url = ContractRun.home + "failing"
            view.loading.load(url)
            try await run.wait(for: "the signal failed of \(url)") { log.entries.contains("failed \(url)") }
            try run.expect(!log.entries.contains("committed \(url)"), "no commit", seen: "\(log.entries)")
            try run.expect(log.errors.count, 1, "errors")
            try await run.load(ContractRun.home + "next", in: view)
        },
        EngineContractCheck("stopBeforeCommit", of: "ViewLoading.stopLoading()", needs: [.loadControl]) { run in
            let server = try run.serve(["/nothing": .nothing])
            let url = ContractRun.home + "nothing"
            for waits in [true, false] {
                let view = try run.makeView()
                let log = SignalLog(of: view)
                view.loading.load(url)
                if waits { try await run.wait(for: "the request") { server.paths.contains("/nothing") } }
                view.loading.stopLoading()
                try await run.wait(for: "the signal failed of a stopped load") {
                    log.entries.contains("failed \(url)")
                }
                if waits { try await run.wait(for: "the stop of the task") { server.isStopped("/nothing") } }
                try run.expect(log.errors.map(\.code), [.loadFailed], "errors")
            }
        },
        EngineContractCheck("stopAfterCommit", of: "ViewSignal.stopped(url:)", needs: [.loadControl]) { run in
            let (stream, feed) = AsyncThrowingStream<Data, any Error>.makeStream()
            let server = try run.serve(["/long": .body(.stream(ByteStream(stream)))])
            let view = try run.makeView()
            let log = SignalLog(of: view)
            let url = ContractRun.home + "long"
            view.loading.load(url)
            // Some engines commit after a number of bytes.
            feed.yield(Data(("<!doctype html><p>part" + String(repeating: " ", count: 4_096)).utf8))
            try await run.wait(for: "the signal committed") { log.entries.contains("committed \(url)") }
            view.loading.stopLoading()
            try await run.wait(for: "the signal stopped") { log.entries.contains("stopped \(url)") }
            try await run.wait(for: "the stop of the task") { server.isStopped("/long") }
            try run.expect(log.errors.isEmpty, "no failure", seen: "\(log.errors)")
        },
        EngineContractCheck("replacedLoad", of: "ViewLoading.load(_:)", needs: [.loadControl]) { run in
            let server = try run.serve(["/nothing": .nothing])
            for waits in [true, false] {
                let view = try run.makeView()
                let log = SignalLog(of: view)
                let count = server.paths.count
                view.loading.load(ContractRun.home + "nothing")
                if waits { try await run.wait(for: "the request") { server.paths.count > count } }
                log.clear()
                let url = ContractRun.home + "next"
                view.loading.load(url)
                try await run.wait(for: "the signal finished of the second load") {
                    log.entries.contains("finished \(url)")
                }
                if waits { try await run.wait(for: "the stop of the task") { server.isStopped("/nothing") } }
                try run.expect(
                    log.entries, ["started", "committed \(url)", "finished \(url)"],
                    "the signals after the second call")
            }
        },
        EngineContractCheck("reload", of: "ViewLoading.reload(_:)", needs: [.loadControl]) { run in
            let server = try run.serve()
            let view = try await run.open()
            let log = SignalLog(of: view)
            view.loading.reload(ContractRun.home + "other")
            try await run.wait(for: "the signal finished") { log.entries.last == "finished \(ContractRun.home)" }
            try run.expect(server.paths, ["/", "/"], "requests")
            try run.expect(server.requests.map(\.head.method), [.get, .get], "methods")
            try run.expect(server.requests.map(\.isMainDocument), [true, true], "isMainDocument")
            let empty = try run.makeView()
            let second = SignalLog(of: empty)
            empty.loading.reload(ContractRun.home + "other")
            try await run.wait(for: "the load of a view without a document") {
                second.entries.last == "finished \(ContractRun.home)other"
            }
        },
        EngineContractCheck("errorPage", of: "ViewLoading.showErrorPage(_:for:)", needs: [.loadControl]) { run in
            let server = try run.serve()
            let view = try await run.open()
            let log = SignalLog(of: view)
            let url = ContractRun.home + "missing"
            view.loading.showErrorPage("<!doctype html><p>error", for: url)
            try await run.wait(for: "the end of the error page") {
                log.entries.contains { $0.hasPrefix("finished ") }
            }
            log.clear()
            view.loading.reload(url)
            try await run.wait(for: "the load of the URL") { log.entries.contains("finished \(url)") }
            try run.expect(server.paths, ["/", "/missing"], "requests")
        },
        EngineContractCheck("pageNavigation", of: "EngineRequest.isMainDocument", needs: [.navigation]) { run in
            let server = try run.serve()
            let view = try await run.open()
            let log = SignalLog(of: view)
            let url = ContractRun.home + "next"
            try await run.site.navigate(to: url, in: view)
            try await run.wait(for: "the signal finished") { log.entries.contains("finished \(url)") }
            try run.expect(
                log.entries, ["started", "committed \(url)", "finished \(url)"], "the signals")
            try run.expect(server.requests.map(\.isMainDocument), [true, true], "isMainDocument")
            try run.expect(view.loading.lastLoad?.number, 1, "loads of the app")
        },
        EngineContractCheck("fragmentNavigation", of: "ScriptMessage.documentURL", needs: [.navigation]) { run in
            let server = try run.serve()
            let view = try run.makeView()
            try view.scripting.setMessageHandler(named: "where", in: .page) { "\"\($0.documentURL)\"" }
            try await run.load(in: view)
            let log = SignalLog(of: view)
            try await run.site.navigate(to: ContractRun.home + "#part", in: view)
            let reply = try await run.site.post("1", to: "where", in: .page, of: view)
            try run.expect(reply, .value("\"\(ContractRun.home)\""), "the URL of the message")
            try run.expect(server.paths, ["/"], "requests")
            try run.expect(!log.entries.contains { $0.hasPrefix("committed") }, "no commit", seen: "\(log.entries)")
            // The next load is complete.
            try await run.load(ContractRun.home + "next", in: view)
        },
    ]

    /// A URL that only the app can give: its host does not exist (RFC 6761, section 6.4).
    private static let given = "https://contract.invalid/page"

    private static func document(
        at url: String = given, script: String = "", onShow: @escaping @MainActor @Sendable () -> Void = {}
    ) -> EngineDocument {
        EngineDocument(url: url, html: "<!doctype html><p>given", script: script, onShow: onShow)
    }

    static let documentChecks = [
        EngineContractCheck("givenDocument", of: "ViewDocuments.answerNavigations(_:)", needs: [.documents]) { run in
            let view = try run.makeView()
            var navigations: [EngineNavigation] = []
            var shown = 0
            view.loading.documents?.answerNavigations { navigation in
                navigations.append(navigation)
                return document { shown += 1 }
            }
            let signals = try await run.load(given, in: view)
            try run.expect(signals, ["started", "committed \(given)", "finished \(given)"], "the signals")
            try run.expect(navigations.map(\.url), [given], "navigations")
            try run.expect(navigations.map(\.isOfApp), [true], "isOfApp")
            try run.expect(navigations.map(\.isReload), [false], "isReload")
            try run.expect(navigations[0].fields[.cookie], nil, "the field Cookie")
            try run.expect(shown, 1, "calls of onShow")
        },
        EngineContractCheck("givenOrigin", of: "EngineDocument.url", needs: [.documents, .scripts]) { run in
            let view = try run.makeView()
            view.scripting.add(UserScript(EngineContractScript.append("a").source, at: .documentStart))
            view.loading.documents?.answerNavigations { _ in
                document(script: EngineContractScript.append("b").source)
            }
            try await run.load(given, in: view)
            try run.expect(
                try await run.evaluate(.origin, of: view), "\"https://contract.invalid\"", "the origin")
            let log = try await run.evaluate(.log, of: view)
            try run.expect(["\"ab\"", "\"ba\""].contains(log), "both scripts", seen: log)
        },
        EngineContractCheck("redirectedDocument", of: "EngineDocument.url", needs: [.documents]) { run in
            let view = try run.makeView()
            let url = "https://contract.invalid/other"
            view.loading.documents?.answerNavigations { _ in document(at: url) }
            let log = SignalLog(of: view)
            view.loading.load(given)
            try await run.wait(for: "the signal finished of \(url)") { log.entries.contains("finished \(url)") }
            try run.expect(log.entries.contains("committed \(url)"), "a commit of \(url)", seen: "\(log.entries)")
        },
        EngineContractCheck(
            "replacedDocumentClosure", of: "ViewDocuments.answerNavigations(_:)", needs: [.documents]
        ) { run in
            let view = try run.makeView()
            var calls: [Int] = []
            for number in [1, 2] {
                view.loading.documents?.answerNavigations { _ in
                    calls.append(number)
                    return document()
                }
            }
            try await run.load(given, in: view)
            try run.expect(calls, [2], "called closures")
        },
        EngineContractCheck(
            "refusedDocument", of: "ViewDocuments.answerNavigations(_:)", needs: [.documents, .navigation]
        ) { run in
            let server = try run.serve()
            let view = try run.makeView()
            view.loading.documents?.answerNavigations { navigation throws(EngineError) in
                throw EngineError(.blocked, "a rule", at: navigation.url)
            }
            let log = SignalLog(of: view)
            view.loading.load(given)
            try await run.wait(for: "the signal failed of \(given)") { log.entries.contains("failed \(given)") }
            try run.expect(log.errors.map(\.code), [.blocked], "errors")
            try run.expect(!log.entries.contains("committed \(given)"), "no commit", seen: "\(log.entries)")
            // The document of the view stays.
            try await run.load(in: view)
            let second = SignalLog(of: view)
            try await run.site.navigate(to: given, in: view)
            try await run.wait(for: "the signal failed of a navigation") {
                second.entries.contains("failed \(given)")
            }
            try run.expect(second.errors.map(\.code), [.blocked], "errors of the navigation")
            try run.expect(
                !second.entries.contains { $0.hasPrefix("committed") }, "no commit", seen: "\(second.entries)")
            try run.expect(server.paths, ["/"], "requests")
        },
        EngineContractCheck(
            "lateDocument", of: "ViewDocuments.answerNavigations(_:)", needs: [.documents, .loadControl]
        ) { run in
            _ = try run.serve()
            let view = try run.makeView()
            var (isAsked, isCancelled, isShown) = (false, false, false)
            view.loading.documents?.answerNavigations { _ in
                isAsked = true
                for await _ in AsyncStream<Void>.makeStream().stream {}
                isCancelled = Task.isCancelled
                return document { isShown = true }
            }
            view.loading.load(given)
            try await run.wait(for: "the call of the closure") { isAsked }
            try await run.load(in: view)
            try await run.wait(for: "the cancellation of the closure's task") { isCancelled }
            try await run.load(ContractRun.home + "next", in: view)
            try run.expect(!isShown, "the document of the replaced load is not used")
        },
    ]
}
