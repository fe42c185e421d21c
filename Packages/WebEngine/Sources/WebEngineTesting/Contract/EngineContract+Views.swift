// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

// The life of views, and prompts.
extension EngineContract {
    static let viewChecks = [
        EngineContractCheck("viewIDs", of: "ViewID") { run in
            var views = [try run.makeView(), try run.makeView()]
            views[0].discard()
            views.append(try run.makeView())
            try run.expect(Set(views.map(\.id)).count, 3, "different identities")
        },
        EngineContractCheck("newView", of: "WebEngineDriver.makeView()") { run in
            let view = try run.engine.makeView()
            try run.expect([view.isAlive, view.hasEnded], [true, false], "isAlive, hasEnded")
            try run.expect(view.onSignal == nil, "no receiver of signals")
            try run.expect(view.prompts?.onPrompt == nil, "no receiver of prompts")
            try run.expect(view.downloads?.onDownload == nil, "no receiver of downloads")
            try run.expect(view.loading.lastLoad, nil, "the last load")
            try run.expect(view.scripting.pendingHandlers, [], "pending handlers")
        },
        EngineContractCheck("warmView", of: "PoolableView.warmUp()") { run in
            let view = try run.makeView()
            try await view.warmUp()
            try run.expect([view.isAlive, view.hasEnded], [true, false], "isAlive, hasEnded")
            try run.expect(try await view.residualState(), [], "the residual state")
        },
        EngineContractCheck("endedView", of: "EngineView") { run in
            _ = try run.serve()
            let view = try await run.open()
            view.discard()
            view.discard()
            try run.expect([view.isAlive, view.hasEnded], [false, true], "isAlive, hasEnded")
            let log = SignalLog(of: view)
            view.loading.load(ContractRun.home)
            view.loading.reload(ContractRun.home)
            view.loading.showErrorPage("<p>", for: ContractRun.home)
            view.loading.stopLoading()
            view.loading.setUserAgent(.engine)
            view.scripting.add(UserScript("1", at: .documentStart))
            view.scripting.answerPrompts(startingWith: "a") { $0 }
            view.scripting.holdForms { _ in nil }
            view.downloads?.dropPendingDownloads()
            view.recovery?.endProcess()
            try await run.expectError([.processEnded], "evaluate") {
                _ = try await view.scripting.evaluate("return 1", in: .page)
            }
            try await run.expectError([.processEnded], "setMessageHandler") {
                try view.scripting.setMessageHandler(named: "late", in: .page) { _ in "1" }
            }
            try await run.expectError([.processEnded], "precompile") { try await view.scripting.precompile(["1"]) }
            try await run.expectError([.processEnded], "warmUp") { try await view.warmUp() }
            if let snapshots = view.snapshots {
                try await run.expectError([.processEnded], "snapshot") { _ = try await snapshots.snapshot() }
            }
            // A later load of another view has its signals after those of this one.
            _ = try await run.open()
            try run.expect(log.entries, [], "the signals after the end")
        },
        EngineContractCheck("rulesOfEndedView", of: "EngineView") { run in
            let view = try run.makeView()
            view.discard()
            try await run.expectError([.processEnded], "setContentRules") {
                try await view.scripting.setContentRules(
                    #"[{"trigger":{"url-filter":"a"},"action":{"type":"block"}}]"#)
            }
        },
        EngineContractCheck("processEnd", of: "ViewSignal.processEnded(reason:)") { run in
            _ = try run.serve()
            let view = try await run.open()
            let log = SignalLog(of: view)
            try await run.site.endProcess(of: view)
            try await run.wait(for: "the signal processEnded") { log.entries == ["processEnded"] }
            try run.expect([view.isAlive, view.hasEnded], [false, false], "isAlive, hasEnded")
        },
        EngineContractCheck(
            "loadAfterProcessEnd", of: "ViewLoading.reload(_:)", needs: [.loadControl, .scripts]
        ) { run in
            let server = try run.serve()
            let view = try await run.open()
            try await run.site.endProcess(of: view)
            try await run.wait(for: "the end of the process") { !view.isAlive }
            let log = SignalLog(of: view)
            view.loading.reload(ContractRun.home)
            try await run.wait(for: "the reload") { log.entries.contains("finished \(ContractRun.home)") }
            try run.expect(server.paths, ["/", "/"], "requests")
            try run.expect(try await run.evaluate(.constant("1"), of: view), "1", "a script in the new process")
        },
        EngineContractCheck("resetView", of: "PoolableView.reset()", needs: [.reset, .scripts]) { run in
            _ = try run.serve()
            let view = try run.makeView()
            view.scripting.add(UserScript(EngineContractScript.append("a").source, at: .documentStart))
            try view.scripting.setMessageHandler(named: "old", in: .page) { _ in "1" }
            try await run.load(in: view)
            let log = SignalLog(of: view)
            let next = try await view.reset()
            if next !== view {
                try run.expect(view.hasEnded, "the end of the replaced view")
                try run.expect(next.id != view.id, "another identity of the replacement")
            }
            try run.expect(next.isAlive, "a view that is alive")
            try run.expect(next.onSignal == nil, "no receiver of signals")
            try run.expect(try await next.residualState(), [], "the residual state")
            log.clear()
            run.site.prepare(next)
            try await run.load(ContractRun.home + "next", in: next)
            try run.expect(log.entries, [], "signals to the earlier receiver")
            try run.expect(try await run.evaluate(.log, of: next), "\"\"", "the log of the scripts")
            let reply = try await run.site.post("1", to: "old", in: .page, of: next)
            try run.expect(reply, .noHandler, "the earlier handler")
        },
        EngineContractCheck("releasedView", of: "ViewScripting", needs: [.release]) { run in
            _ = try run.serve()
            weak var released: ReleaseProbe?
            weak var releasedView: (any EngineView)?
            try await {
                let probe = ReleaseProbe()
                let view = try run.makeView()
                (released, releasedView) = (probe, view)
                try view.scripting.setMessageHandler(named: "a", in: .page) { _ in
                    probe.touch()
                    return "1"
                }
                view.scripting.answerPrompts(startingWith: "a") {
                    probe.touch()
                    return $0
                }
                view.scripting.holdForms { _ in
                    probe.touch()
                    return nil
                }
                view.loading.documents?.answerNavigations { _ in
                    probe.touch()
                    return nil
                }
                try await run.load(in: view)
                view.onSignal = { _ in probe.touch() }
                view.prompts?.onPrompt = { _ in probe.touch() }
                view.downloads?.onDownload = { _ in probe.touch() }
            }()
            try await run.wait(for: "the release of the view") { releasedView == nil }
            try await run.wait(for: "the release of its closures") { released == nil }
        },
    ]

    /// Opens a dialog, with a closure that receives its prompt.
    @MainActor
    private static func dialog(
        _ kind: DialogKind, message: String = "text", in view: any EngineView, _ run: ContractRun,
        _ receive: (@MainActor (EnginePrompt) -> Void)?
    ) async throws -> String {
        view.prompts?.onPrompt = receive
        defer { view.prompts?.onPrompt = nil }
        return try await run.site.open(kind, message: message, in: view)
    }

    private static let entry = DialogKind.prompt(defaultText: "given")

    static let promptChecks = [
        EngineContractCheck("promptAnswers", of: "EnginePrompt.answer(_:)") { run in
            _ = try run.serve()
            let view = try await run.open()
            let cases: [(DialogKind, EnginePrompt.Answer, String)] = [
                (.alert, .no, "null"), (.confirm, .yes, "true"), (.confirm, .no, "false"),
                (entry, .yes, "\"given\""), (entry, .text("ü"), "\"ü\""), (entry, .no, "null"),
            ]
            for isLater in [false, true] {
                for (kind, answer, expected) in cases {
                    var subjects: [EnginePrompt.Subject] = []
                    let result = try await dialog(kind, in: view, run) { prompt in
                        subjects.append(prompt.subject)
                        guard isLater else { return prompt.answer(answer) }
                        Task { prompt.answer(answer) }
                    }
                    try run.expect(result, expected, "the result of \(kind) after \(answer)")
                    try run.expect(subjects, [.dialog(kind, message: "text")], "the prompts")
                }
            }
        },
        EngineContractCheck("promptAnsweredTwice", of: "EnginePrompt.answer(_:)") { run in
            _ = try run.serve()
            let view = try await run.open()
            let result = try await dialog(.confirm, in: view, run) {
                $0.answer(.yes)
                $0.answer(.no)
                $0.withdraw()
            }
            try run.expect(result, "true", "the first answer")
        },
        EngineContractCheck("releasedPrompt", of: "EnginePrompt") { run in
            _ = try run.serve()
            let view = try await run.open()
            for (kind, expected) in [(DialogKind.alert, "null"), (.confirm, "false"), (entry, "null")] {
                try run.expect(
                    try await dialog(kind, in: view, run) { _ in }, expected, "the result without an answer")
                try run.expect(
                    try await dialog(kind, in: view, run, nil), expected, "the result without a receiver")
            }
        },
        EngineContractCheck(
            "documentPrompt", of: "EnginePrompt.Subject.document(url:)", needs: [.loadControl]
        ) { run in
            _ = try run.serve()
            let view = try await run.open()
            for (answer, ends) in [(EnginePrompt.Answer.no, ["failed", "stopped"]), (.yes, ["finished"])] {
                let url = ContractRun.home + "\(answer)"
                var documents: [String] = []
                view.prompts?.onPrompt = { prompt in
                    guard case .document(let url) = prompt.subject else { return prompt.answer(.yes) }
                    documents.append(url)
                    prompt.answer(answer)
                }
                let log = SignalLog(of: view)
                view.loading.load(url)
                try await run.wait(for: "the end of the load") {
                    ends.contains { log.entries.contains("\($0) \(url)") }
                }
                try run.expect(documents, [url], "the documents of the prompts")
                try run.expect(log.entries.contains("committed \(url)"), answer == .yes, "a commit")
            }
        },
        EngineContractCheck("promptOfEndedView", of: "EnginePrompt.withdraw()", needs: [.promptEnds]) { run in
            _ = try run.serve()
            let view = try await run.open()
            var (prompt, withdrawals) = (EnginePrompt?.none, 0)
            view.prompts?.onPrompt = {
                $0.onWithdrawal = { withdrawals += 1 }
                prompt = $0
            }
            let result = Task { try await run.site.open(.confirm, message: "text", in: view) }
            try await run.wait(for: "the prompt") { prompt != nil }
            view.discard()
            try await run.wait(for: "the call of onWithdrawal") { withdrawals == 1 }
            prompt?.answer(.yes)
            // The page has ended, or it has received the safe answer.
            let seen = try? await result.value
            try run.expect(seen == nil || seen == "false", "the safe answer", seen: seen ?? "")
            try run.expect(withdrawals, 1, "withdrawals")
        },
        EngineContractCheck("answeredPrompts", of: "ViewScripting.answerPrompts(startingWith:_:)") { run in
            _ = try run.serve()
            let view = try run.makeView()
            view.scripting.answerPrompts(startingWith: "old:") { _ in "old" }
            view.scripting.answerPrompts(startingWith: "new:") { "answer to \($0)" }
            try await run.load(in: view)
            var subjects: [EnginePrompt.Subject] = []
            @MainActor func result(_ message: String) async throws -> String {
                try await dialog(entry, message: message, in: view, run) {
                    subjects.append($0.subject)
                    $0.answer(.no)
                }
            }
            try run.expect(try await result("new:1"), "\"answer to new:1\"", "the answer")
            try run.expect(subjects, [], "prompts")
            try run.expect(try await result("old:1"), "null", "a prompt with the replaced prefix")
            try run.expect(subjects, [.dialog(entry, message: "old:1")], "prompts")
        },
    ]
}
