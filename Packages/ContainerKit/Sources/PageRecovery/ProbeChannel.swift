// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import WebEngine

/// What is said between a page's health script and its watch: the script of each document asks what to do, and waits.
///
/// Isolation: the main actor. It ends with ``end()``.
@MainActor
final class ProbeChannel {
    private let receive: @MainActor (HealthScript.Message) -> Void
    /// Who waits for what to do, in the page.
    private var waiter: CheckedContinuation<HealthScript.Reply, Never>?
    /// What it is told as soon as it asks.
    private var wish: HealthScript.Reply?
    /// Who waits for what a look shows.
    private var looker: AsyncStream<ProbeResult>.Continuation?
    /// The name of the script that speaks, and that of the document before, whose last words may be late.
    private var speaker: String?
    private var former: String?
    private var isOver = false

    /// - Parameter receive: receives what the script says beyond asking.
    init(receive: @escaping @MainActor (HealthScript.Message) -> Void) {
        self.receive = receive
    }

    /// Takes a message, and says what to do next, once there is something.
    func answer(_ message: ScriptMessage) async -> HealthScript.Reply {
        guard !isOver, let said = HealthScript.message(message.json), former == nil || said.from != former else {
            return .end
        }
        speaker = said.from
        if let look = said.look { looker?.yield(look.result) }
        receive(said)
        if said.isNotification { return .end }
        if let wish {
            self.wish = nil
            return wish
        }
        // Who hears may have ended it.
        guard !isOver else { return .end }
        waiter?.resume(returning: .end)
        return await withCheckedContinuation { waiter = $0 }
    }

    func say(_ reply: HealthScript.Reply) {
        guard let waiter else {
            wish = reply
            return
        }
        self.waiter = nil
        waiter.resume(returning: reply)
    }

    /// Has the page look at itself. A look that still waits ends without an answer.
    /// - Returns: what it shows; `nil` where the page has not answered within the limit, as one that is at work.
    func look(within limit: Duration) async -> ProbeResult? {
        let (answers, looker) = AsyncStream<ProbeResult>.makeStream(bufferingPolicy: .bufferingOldest(1))
        self.looker?.finish()
        self.looker = looker
        say(.look)
        let answer = Task { () -> ProbeResult? in
            for await result in answers { return result }
            return nil
        }
        defer { answer.cancel() }
        return await answer.value(within: limit) ?? nil
    }

    /// The document is another one: what waits for the one before waits no longer.
    func documentChanged() {
        if let speaker { former = speaker }
        speaker = nil
        wish = nil
        waiter?.resume(returning: .end)
        waiter = nil
        looker?.finish()
        looker = nil
    }

    func end() {
        isOver = true
        documentChanged()
    }
}
