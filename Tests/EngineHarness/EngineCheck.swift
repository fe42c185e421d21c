// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import ContainerKit
internal import Foundation
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

/// The checks of the adapter.
enum EngineCheck: String, CaseIterable {
    case contract
    case userScripts
    case messages
    case messageReplies
    case messageLimit
    case messageNames
    case messageOrigin
    case cookies
    case cookiesOutlive
    case cookiesWritten
    case cookiesRead
    case cookieBridge
    case cookieLoss
    case nativeCookies
    case snapshot
    case processEnd
    case discardedView
    case droppedView
    case closedWindow
    case reservedScheme
    case schemeAgain
    case aliases
    case containers
    case droppedEngines
    case documents
    case failedHandOver
    case scriptErrors
    case pageGone
    case blockedPort
    case loadAfterLoad
    case stoppedLoads
    case warmUp
    case proxyExceptions
    case trust
    case freshHosts
    case proxyCredentials
    case wrongCredentials
    case otherCredentials
    case socksCredentials
    case proxyHosts
    case proxyConnections
    case proxyFailures
    case proxyUpdate
    case proxyNetworkProcess
    case serverNetworkProcess
    case serverSites
    case serverDomains
    case serverLaunch
    case serverNextLaunch
    case proxyRollback
    case serverRollback
    case proxyLoss
    case postNavigation
    case returnedRequests
    case bodies
    case pageCookies
    case bridge
    case isolation
    case legacy
    case pool
    case poolFinds
    case poolHaste
    case poolProcesses
    case white
    case blankPageLeft
    case blankPageHang
    case blankPageWanted
    case asks
    case downloads
    case downloadKilled
    case downloadAfterKill
    case downloadFull
    case prefetch
    case catalogue
    case trustedReleases
    case trustedEnforcement
    case pageOptions
    case pageInterface
    case modes
    case ruleActions
    case documentRules
    case hostContent
    case documentMode
    case documentNavigation
    case documentOffline
    case documentViews
    case soak
    case timeline
    case memoryCeiling
    case conditions
    case systemProxies
    case nameResolution
    case sandbox

    /// The time limit of the check.
    var limit: Duration {
        switch self {
        case .bodies: .seconds(420)
        case .contract: .seconds(170)
        case .bridge, .isolation, .documentViews, .trustedReleases, .trustedEnforcement: .seconds(180)
        // The number of cycles is an argument.
        case .pool, .soak: .seconds(3_600)
        default: .seconds(60)
        }
    }

    /// Runs the check.
    /// - Parameter arguments: The arguments of the check, usually a folder.
    @MainActor
    func run(_ arguments: [String]) async throws {
        switch self {
        case .contract: try await checkContract(arguments)
        case .userScripts: try await checkUserScripts(WebKitGTKEngine())
        case .messages: try await checkMessages(WebKitGTKEngine())
        case .messageReplies: try await checkMessageReplies(WebKitGTKEngine())
        case .messageLimit: try await checkMessageLimit()
        case .messageNames: try await checkMessageNames(WebKitGTKEngine())
        case .messageOrigin: try await checkMessageOrigin(WebKitGTKEngine())
        case .cookies: try await checkCookies(WebKitGTKEngine())
        case .cookiesOutlive: try await checkCookiesOutlive()
        case .cookiesWritten: try await checkCookiesWritten(in: folder(arguments))
        case .cookiesRead: try await checkCookiesRead(in: folder(arguments))
        case .cookieLoss: try await checkCookieLoss(WebKitGTKEngine(), in: folder(arguments))
        case .cookieBridge: try await checkCookieBridge(WebKitGTKEngine(), in: folder(arguments))
        case .nativeCookies:
            try await checkNativeCookies(WebKitGTKEngine(), arguments.dropFirst(), in: folder(arguments))
        case .snapshot: try await checkSnapshot(WebKitGTKEngine())
        case .processEnd: try await checkProcessEnd(WebKitGTKEngine())
        case .discardedView: try await checkDiscardedView(WebKitGTKEngine())
        case .droppedView: try await checkDroppedView(WebKitGTKEngine())
        case .closedWindow: try await checkClosedWindow()
        case .reservedScheme: try await checkReservedScheme(WebKitGTKEngine())
        case .schemeAgain: try await checkSchemeAgain(WebKitGTKEngine())
        case .aliases: try await checkAliases(WebKitGTKEngine(), in: folder(arguments))
        case .containers: try await checkContainers(WebKitGTKEngine(), in: folder(arguments))
        case .droppedEngines: try await checkDroppedEngines(in: folder(arguments))
        case .documents: try await checkDocuments(WebKitGTKEngine())
        case .failedHandOver: try await checkFailedHandOver(WebKitGTKEngine(), in: folder(arguments))
        case .scriptErrors: try await checkScriptErrors(WebKitGTKEngine())
        case .pageGone: try await checkPageGone(WebKitGTKEngine())
        case .blockedPort: try await checkBlockedPort(WebKitGTKEngine())
        case .loadAfterLoad: try await checkLoadAfterLoad(WebKitGTKEngine())
        case .stoppedLoads: try await checkStoppedLoads(WebKitGTKEngine())
        case .warmUp: try await checkWarmUp(WebKitGTKEngine())
        case .proxyExceptions: try await checkProxyExceptions(WebKitGTKEngine(), arguments)
        case .trust: try await checkTrust(WebKitGTKEngine())
        case .freshHosts: try await checkFreshHosts(WebKitGTKEngine())
        case .proxyCredentials: try await checkProxyCredentials(WebKitGTKEngine())
        case .wrongCredentials: try await checkWrongCredentials()
        case .otherCredentials: try await checkOtherCredentials(WebKitGTKEngine())
        case .socksCredentials: try await checkSocksCredentials(WebKitGTKEngine())
        case .proxyHosts: try await checkProxyHosts(WebKitGTKEngine(), in: folder(arguments))
        case .proxyConnections: try await checkProxyConnections(WebKitGTKEngine(), in: folder(arguments))
        case .proxyFailures: try await checkProxyFailures(WebKitGTKEngine(), in: folder(arguments))
        case .proxyUpdate: try await checkProxyUpdate(WebKitGTKEngine(), in: folder(arguments))
        case .proxyNetworkProcess:
            try await checkNetworkProcessEnd(WebKitGTKEngine(), .loopbackProxy, in: folder(arguments))
        case .serverNetworkProcess:
            try await checkNetworkProcessEnd(WebKitGTKEngine(), .loopbackServer, in: folder(arguments))
        case .serverSites: try await checkServerSites(WebKitGTKEngine(), in: folder(arguments))
        case .serverDomains: try await checkServerDomains(WebKitGTKEngine(), in: folder(arguments))
        case .serverLaunch: try await checkServerLaunch("1", in: folder(arguments))
        case .serverNextLaunch: try await checkServerLaunch("2", in: folder(arguments))
        case .proxyRollback: try await checkRollback(.loopbackProxy, in: folder(arguments))
        case .serverRollback: try await checkRollback(.loopbackServer, in: folder(arguments))
        case .proxyLoss: try await checkProxyLoss(WebKitGTKEngine(), in: folder(arguments))
        case .postNavigation: try await checkPostNavigation(WebKitGTKEngine(), in: folder(arguments))
        case .returnedRequests:
            try await checkReturnedRequests(WebKitGTKEngine(), arguments.dropFirst(), in: folder(arguments))
        case .pageCookies: try await checkPageCookies(WebKitGTKEngine(), arguments.dropFirst(), in: folder(arguments))
        case .bodies: try await runBodies(WebKitGTKEngine(), arguments.dropFirst(), in: folder(arguments))
        case .legacy: try await checkLegacy(WebKitGTKEngine(), arguments.dropFirst(), in: folder(arguments))
        case .pool: try await checkPool(arguments.dropFirst(), in: folder(arguments))
        case .poolFinds: try await checkPoolFinds(arguments.dropFirst(), in: folder(arguments))
        case .poolHaste: try await checkPoolHaste(arguments.dropFirst(), in: folder(arguments))
        case .poolProcesses: try await checkPoolProcesses(arguments.dropFirst(), in: folder(arguments))
        case .white: try await checkBlankPages(arguments.dropFirst().first, in: folder(arguments))
        case .blankPageLeft: try await checkQuietPages(arguments.dropFirst().first, in: folder(arguments))
        case .blankPageHang: try await checkHangs(arguments.dropFirst().first, in: folder(arguments))
        case .blankPageWanted: try await checkWantedSignals(arguments.dropFirst().first, in: folder(arguments))
        case .asks: try await checkAsks(arguments.dropFirst().first, in: folder(arguments))
        case .downloads: try await checkDownloads(arguments.dropFirst().first, in: folder(arguments))
        case .downloadKilled: try await checkDownloadKilled(mode(arguments), in: folder(arguments))
        case .downloadAfterKill: try await checkDownloadAfterKill(mode(arguments), in: folder(arguments))
        case .downloadFull:
            try await checkDownloadFull(mode(arguments), on: arguments.last ?? "", in: folder(arguments))
        case .prefetch: try await checkPrefetch(WebKitGTKEngine(), arguments.dropFirst(), in: folder(arguments))
        case .catalogue: try await checkCatalogue(mode(arguments), in: folder(arguments))
        case .trustedReleases: try await checkTrustedReleases(arguments.dropFirst().first, in: folder(arguments))
        case .trustedEnforcement:
            try await checkTrustedEnforcement(arguments.dropFirst().first, in: folder(arguments))
        case .pageOptions:
            try await checkPageOptions(WebKitGTKEngine(), arguments.dropFirst().first, in: folder(arguments))
        case .pageInterface:
            try await checkPageInterface(
                arguments.dropFirst().first, arguments.dropFirst(2).first, in: folder(arguments))
        case .modes: try await checkModes(WebKitGTKEngine(), in: folder(arguments))
        case .documentRules: try await checkDocumentRules(WebKitGTKEngine(), in: folder(arguments))
        case .ruleActions: try await checkRuleActions(WebKitGTKEngine(), arguments.dropFirst(), in: folder(arguments))
        case .hostContent: try await checkHostContent(WebKitGTKEngine(), arguments.dropFirst(), in: folder(arguments))
        case .documentMode: try await checkDocumentMode(WebKitGTKEngine(), in: folder(arguments))
        case .documentNavigation: try await checkDocumentNavigation(WebKitGTKEngine(), in: folder(arguments))
        case .documentOffline: try await checkDocumentOffline(WebKitGTKEngine(), in: folder(arguments))
        case .documentViews: try await checkDocumentViews(WebKitGTKEngine(), in: folder(arguments))
        case .soak: try await checkSoak(arguments.dropFirst(), in: folder(arguments))
        case .timeline: try await checkTimeline(arguments.dropFirst().first, in: folder(arguments))
        case .memoryCeiling: try await checkMemoryCeiling(in: folder(arguments))
        case .conditions: try await checkConditions(WebKitGTKEngine())
        case .systemProxies: try await checkSystemProxies(WebKitGTKEngine(), arguments)
        case .nameResolution: try await checkNameResolution(arguments.dropFirst().first, in: folder(arguments))
        case .sandbox: try await checkSandbox(on: arguments.first)
        case .bridge: try await runBridge(WebKitGTKEngine(), arguments.dropFirst(), in: folder(arguments))
        case .isolation: try await runIsolation(WebKitGTKEngine(), arguments.dropFirst(), in: folder(arguments))
        }
    }

    private func folder(_ arguments: [String]) throws -> String {
        guard let folder = arguments.first else { throw CheckFailure(description: "specify a folder") }
        return folder
    }

    /// Loads a page from a data URL.
    @MainActor
    func page(
        _ html: String, in engine: WebKitGTKEngine, prepare: (WebKitGTKView) throws -> Void = { _ in }
    ) async throws -> WebKitGTKView {
        let view = try engine.makeView()
        try prepare(view)
        let load = ViewLoad(of: view)
        view.load("data:text/html;base64," + Data(html.utf8).base64EncodedString())
        try await load.finished(within: .seconds(20))
        return view
    }

    /// Opens a page of a container and waits until it is loaded completely.
    @MainActor
    func open(_ url: String, in container: Container<WebKitGTKEngine>) async throws -> Page<WebKitGTKView> {
        let page = try await container.open(url)
        try await page.load.finished(within: .seconds(20))
        return page
    }

    @MainActor
    private func checkUserScripts(_ engine: WebKitGTKEngine) async throws {
        let isolated = ScriptWorld.isolated(name: "aside")
        let view = try await page("<script>globalThis.seen = globalThis.early</script>", in: engine) { view in
            view.add(UserScript("globalThis.early = 1", at: .documentStart))
            view.add(UserScript("globalThis.late = document.readyState", at: .documentEnd))
            view.add(UserScript("globalThis.hidden = 2", at: .documentStart, in: isolated))
        }
        let own = try await view.evaluate("return [globalThis.seen, typeof late, typeof hidden]", in: .page)
        try expect(own == #"[1,"string","undefined"]"#, "page world: \(own)")
        let aside = try await view.evaluate("return globalThis.hidden", in: isolated)
        try expect(aside == "2", "isolated world: \(aside)")
    }

    @MainActor
    private func checkSnapshot(_ engine: WebKitGTKEngine) async throws {
        let view = try await page("<body style='margin:0;background:#ff0000'>", in: engine)
        // The first frame may be painted after the load event.
        _ = try await view.evaluate(
            "await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))", in: .page)
        let picture = try await view.snapshot()
        try expect(picture.width == 1_280 && picture.height == 800, "\(picture.width) × \(picture.height)")
        try expect(Array(picture.pixels.prefix(4)) == [0, 0, 255, 255], "pixel \(Array(picture.pixels.prefix(4)))")
        try expect(Array(picture.png.prefix(4)) == [0x89, 0x50, 0x4e, 0x47], "not a PNG")
    }

    @MainActor
    private func checkProcessEnd(_ engine: WebKitGTKEngine) async throws {
        let view = try await page("<p>", in: engine)
        let (ends, continuation) = AsyncStream<String>.makeStream()
        view.onSignal = { if case .processEnded(let reason) = $0 { continuation.yield(reason) } }
        let processes = try childProcesses(named: "WebKitWebProces")
        try expect(processes.count == 1, "web processes: \(processes)")
        let waiting = Task {
            try await view.evaluate("await new Promise(done => globalThis.done = done)", in: .page)
        }
        // When this call returns, the previous call waits in the page.
        _ = try await view.evaluate("return 1", in: .page)
        kill(processes[0], SIGKILL)
        for await reason in ends {
            try expect(!reason.isEmpty && !view.isAlive, "\(reason), alive: \(view.isAlive)")
            break
        }
        try await expectError(.processEnded, "a call under way") { _ = try await waiting.value }
    }

    @MainActor
    private func checkScriptErrors(_ engine: WebKitGTKEngine) async throws {
        let view = try await page("<p>", in: engine)
        do {
            _ = try await view.evaluate("throw new Error('broken')", in: .page)
            throw CheckFailure(description: "no error")
        } catch let error as EngineError {
            try expect(error.code == .script && error.message.contains("broken"), "\(error)")
        }
        try await expectError(.script, "a result that cannot be sent") {
            _ = try await view.evaluate("return () => 1", in: .page)
        }
        do {
            _ = try await withLimit(.milliseconds(100)) {
                try await view.evaluate("await new Promise(() => {})", in: .page)
            }
            throw CheckFailure(description: "a promise that never settles was awaited forever")
        } catch let error as EngineError {
            try expect(error.code == .timedOut, "\(error)")
        }
    }

    @MainActor
    private func checkWarmUp(_ engine: WebKitGTKEngine) async throws {
        let view = try engine.makeView()
        try await view.warmUp()
        let state = try await view.evaluate("return [location.href, document.readyState, history.length]", in: .page)
        try expect(state == #"["about:blank","complete",1]"#, state)
        // Animation frames are numbered: a number above 1 means that a frame was requested before.
        let frame = try await view.evaluate("return requestAnimationFrame(() => {}) > 1", in: .page)
        try expect(frame == "true", "the warm-up waited for no frame")
        // Precompiled scripts leave nothing in the page's world.
        try await view.precompile(["throw 1", "const left = 1; addEventListener = 1; () => 1", "window.found = left"])
        let left = try await view.evaluate(
            "return [typeof left, typeof addEventListener, window.found ?? 0]", in: .page)
        try expect(left == #"["undefined","function",0]"#, left)
        let found = try await view.evaluate("return found", in: .isolated(name: "containerkit-rehearsal"))
        try expect(found == "1", "run: \(found)")
        // The script of the bridge runs completely.
        let scripts = InjectedScript.sourcesToPrecompile
        try await view.precompile([
            scripts[0], scripts[1], "window.made = \(scripts[2]); window.found = `${made}`.length",
        ])
        let ran = try await view.evaluate("return found", in: .isolated(name: "containerkit-rehearsal"))
        // The text without the script has six characters.
        try expect((Int(ran) ?? 0) > 10, "run: \(ran)")
        let residual = try await view.residualState()
        try expect(residual.isEmpty, "\(residual)")
    }

    /// Evaluates the expression repeatedly until it has the expected value. The check's limit ends the wait.
    @MainActor
    func seeInTime(_ page: Page<WebKitGTKView>, _ expression: String, _ expected: String) async throws {
        var last = ""
        let seen = try? await withLimit(.seconds(15)) {
            while true {
                // The document may be replaced during the evaluation.
                last = (try? await page.view.evaluate("return \(expression)", in: .page)) ?? last
                if last == expected { return true }
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        try expect(seen == true, "\(expression): \(last), and not \(expected)")
    }

    /// Returns the identifiers of the descendant processes with a name.
    func childProcesses(named name: String) throws -> [pid_t] {
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
        var parents: [pid_t: pid_t] = [:]
        var named: [pid_t] = []
        for process in all {
            guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")"),
                let parent = line[close...].split(separator: " ").dropFirst(2).first.flatMap({ pid_t($0) })
            else { continue }
            parents[process] = parent
            if line[line.index(after: open)..<close] == name { named.append(process) }
        }
        let mine = getpid()
        return named.filter { process in
            sequence(first: process) { parents[$0] }.prefix(32).contains(mine)
        }
    }
}
