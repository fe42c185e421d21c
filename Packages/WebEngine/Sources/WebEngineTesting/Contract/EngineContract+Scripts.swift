// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

// Scripts and messages.
extension EngineContract {
    static let scriptChecks = [
        EngineContractCheck("scriptValues", of: "ViewScripting.evaluate(_:in:)", needs: [.scripts]) { run in
            _ = try run.serve()
            let view = try await run.open()
            for (expression, json) in EngineContractScript.constants {
                try run.expect(
                    try await run.evaluate(.constant(expression), of: view), json, "the value of \(expression)")
            }
        },
        EngineContractCheck("scriptErrors", of: "ViewScripting.evaluate(_:in:)", needs: [.scripts]) { run in
            _ = try run.serve()
            let view = try await run.open()
            for script in [EngineContractScript.throwing("broken"), .unserializable] {
                try await run.expectError([.script], script.source) { _ = try await run.evaluate(script, of: view) }
            }
            do {
                _ = try await run.evaluate(.throwing("broken"), of: view)
            } catch let error as EngineError {
                let isLine = !error.message.contains(where: \.isNewline)
                try run.expect(
                    isLine && error.message.contains("broken"), "one line with the message of the script",
                    seen: error.message)
            }
        },
        EngineContractCheck("endedScripts", of: "ViewScripting.evaluate(_:in:)", needs: [.scripts]) { run in
            _ = try run.serve()
            let ends: [(EngineError.Code, @MainActor (any EngineView) async throws -> Void)] = [
                (.pageGone, { _ = try await run.load(ContractRun.home + "next", in: $0) }),
                (.processEnded, { try await run.site.endProcess(of: $0) }), (.processEnded, { $0.discard() }),
            ]
            for (code, end) in ends {
                let view = try await run.open()
                let call = Task { try await run.evaluate(.waiting, of: view) }
                // When this call returns, the previous call waits in the page.
                _ = try await run.evaluate(.constant("1"), of: view)
                try await end(view)
                try await run.expectError([code], "a call that waits") { _ = try await call.value }
                if code == .processEnded {
                    try await run.expectError([code], "a later call") {
                        _ = try await run.evaluate(.constant("1"), of: view)
                    }
                }
            }
        },
        EngineContractCheck("scriptWorlds", of: "ScriptWorld", needs: [.scripts, .worlds]) { run in
            _ = try run.serve()
            let view = try await run.open()
            _ = try await run.evaluate(.append("p"), of: view)
            _ = try await run.evaluate(.append("i"), in: ContractRun.aside, of: view)
            try run.expect(try await run.evaluate(.log, of: view), "\"p\"", "the log of the page")
            try run.expect(try await run.evaluate(.log, in: ContractRun.aside, of: view), "\"i\"", "the other log")
            let other = try await run.evaluate(.log, in: .isolated(name: "contract-third"), of: view)
            try run.expect(other, "\"\"", "the log of a third world")
        },
        EngineContractCheck("userScripts", of: "ViewScripting.add(_:)", needs: [.scripts, .worlds]) { run in
            _ = try run.serve()
            let view = try run.makeView()
            @MainActor func add(
                _ letter: Character, at time: UserScript.Time = .documentStart, in world: ScriptWorld = .page
            ) {
                view.scripting.add(UserScript(EngineContractScript.append(letter).source, at: time, in: world))
            }
            @MainActor func logs() async throws -> [String] {
                [
                    try await run.evaluate(.log, of: view),
                    try await run.evaluate(.log, in: ContractRun.aside, of: view),
                ]
            }
            add("e", at: .documentEnd)
            for letter in "abc" { add(letter) }
            add("i", in: ContractRun.aside)
            try await run.load(in: view)
            try run.expect(try await logs(), ["\"abce\"", "\"i\""], "the logs")
            add("d")
            try run.expect(try await logs(), ["\"abce\"", "\"i\""], "the logs of a page that is open")
            try await run.load(ContractRun.home + "next", in: view)
            try run.expect(try await logs(), ["\"abcde\"", "\"i\""], "the logs of the next page")
        },
    ]

    static let messageChecks = [
        EngineContractCheck("messageReply", of: "ViewScripting.setMessageHandler(named:in:_:)") { run in
            _ = try run.serve()
            let view = try run.makeView()
            var messages: [ScriptMessage] = []
            try view.scripting.setMessageHandler(named: "echo", in: .page) { message in
                messages.append(message)
                return "{\"got\":\(message.json)}"
            }
            try await run.load(in: view)
            for json in ["{\"a\":[1,\"ü\",null,true]}", "\"text\"", "1.5", "null"] {
                messages = []
                let reply = try await run.site.post(json, to: "echo", in: .page, of: view)
                try run.expect(reply, .value("{\"got\":\(json)}"), "the reply")
                let message = ScriptMessage(json: json, documentURL: ContractRun.home)
                try run.expect(messages, [message], "the message")
            }
        },
        EngineContractCheck("messageErrors", of: "ViewScripting.setMessageHandler(named:in:_:)") { run in
            _ = try run.serve()
            let view = try run.makeView()
            try view.scripting.setMessageHandler(named: "refuse", in: .page) { _ in
                throw EngineError(.script, "an error of the check")
            }
            try await run.load(in: view)
            let reply = try await run.site.post("1", to: "refuse", in: .page, of: view)
            try run.expect(reply, .rejected, "the promise")
        },
        EngineContractCheck(
            "invalidReplies", of: "ViewScripting.setMessageHandler(named:in:_:)", needs: [.replyCheck]
        ) { run in
            _ = try run.serve()
            let view = try run.makeView()
            try await run.load(in: view)
            for invalid in ["", "not json", "{\"a\":", "1 2", "undefined", "'a'"] {
                try view.scripting.setMessageHandler(named: "raw", in: .page) { _ in invalid }
                let reply = try await run.site.post("1", to: "raw", in: .page, of: view)
                try run.expect(reply, .rejected, "the promise for '\(invalid)'")
            }
        },
        EngineContractCheck("handlerNames", of: "ViewScripting.setMessageHandler(named:in:_:)") { run in
            _ = try run.serve()
            let view = try await run.open()
            try run.expect(
                try await run.site.post("1", to: "unknown", in: .page, of: view), .noHandler, "an unknown name")
            try await run.expectError([.handlerTaken], "an empty name") {
                try view.scripting.setMessageHandler(named: "", in: .page) { _ in "1" }
            }
            // The open page has the handler immediately.
            try view.scripting.setMessageHandler(named: "new", in: .page) { _ in "1" }
            try run.expect(
                try await run.site.post("1", to: "new", in: .page, of: view), .value("1"), "a new handler")
        },
        EngineContractCheck(
            "handlerWorlds", of: "ViewScripting.setMessageHandler(named:in:_:)", needs: [.worlds]
        ) { run in
            _ = try run.serve()
            let view = try run.makeView()
            try view.scripting.setMessageHandler(named: "aside", in: ContractRun.aside) { _ in "1" }
            try view.scripting.setMessageHandler(named: "page", in: .page) { _ in "2" }
            try await run.load(in: view)
            for (name, world, expected) in [
                ("aside", ContractRun.aside, EngineContractReply.value("1")), ("aside", .page, .noHandler),
                ("page", .page, .value("2")), ("page", ContractRun.aside, .noHandler),
            ] {
                let reply = try await run.site.post("0", to: name, in: world, of: view)
                try run.expect(reply, expected, "the reply of \(name) in \(world)")
            }
        },
        EngineContractCheck("replacedHandler", of: "ViewScripting.setMessageHandler(named:in:_:)") { run in
            _ = try run.serve()
            let view = try run.makeView()
            weak var released: ReleaseProbe?
            try {
                let probe = ReleaseProbe()
                released = probe
                try view.scripting.setMessageHandler(named: "number", in: .page) { _ in
                    probe.touch()
                    return "1"
                }
            }()
            try run.expect(released != nil, "a handler that the view retains")
            try view.scripting.setMessageHandler(named: "number", in: .page) { _ in "2" }
            try await run.load(in: view)
            try run.expect(
                try await run.site.post("0", to: "number", in: .page, of: view), .value("2"), "the reply")
            try await run.wait(for: "the release of the replaced handler") { released == nil }
        },
        EngineContractCheck(
            "endedMessages", of: "ViewScripting.setMessageHandler(named:in:_:)", needs: [.messageEnds]
        ) { run in
            _ = try run.serve()
            for discards in [false, true] {
                let view = try run.makeView()
                var (calls, isCancelled) = (0, false)
                try view.scripting.setMessageHandler(named: "slow", in: .page) { _ in
                    calls += 1
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    isCancelled = Task.isCancelled
                    return "1"
                }
                try await run.load(in: view)
                let post = Task { try await run.site.post("0", to: "slow", in: .page, of: view) }
                try await run.wait(for: "the message") { calls == 1 }
                if discards {
                    view.discard()
                } else {
                    try view.scripting.setMessageHandler(named: "slow", in: .page) { _ in "2" }
                }
                try await run.wait(for: "the cancellation of the pending reply") { isCancelled }
                let pending = try await post.value
                try run.expect([.rejected, .noHandler].contains(pending), "no reply", seen: "\(pending)")
                let next = try await run.site.post("0", to: "slow", in: .page, of: view)
                try run.expect(next, discards ? .noHandler : .value("2"), "the reply to a later message")
                try run.expect(calls, 1, "messages to the removed handler")
            }
        },
        EngineContractCheck("pendingHandlers", of: "ViewScripting.pendingHandlers", needs: [.messageEnds]) { run in
            _ = try run.serve()
            let view = try run.makeView()
            var calls = 0
            try view.scripting.setMessageHandler(named: "slow", in: .page) { _ in
                calls += 1
                for await _ in AsyncStream<Void>.makeStream().stream {}
                return "1"
            }
            try await run.load(in: view)
            try run.expect(view.scripting.pendingHandlers, [], "without messages")
            let post = Task { try await run.site.post("0", to: "slow", in: .page, of: view) }
            try await run.wait(for: "the message") { calls == 1 }
            try run.expect(view.scripting.pendingHandlers, ["slow"], "with a message")
            try await run.load(ContractRun.home + "next", in: view)
            try run.expect(view.scripting.pendingHandlers, [], "in the next document")
            view.discard()
            _ = try? await post.value
        },
    ]
}
