// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import WebEngine

/// The message channel between a page monitor and the health script of the page. The script of each document sends a
/// message and waits for the reply, which contains the next action.
///
/// Isolation: the main actor. Call ``end()`` at the end.
@MainActor
final class ProbeChannel {
    private let receive: @MainActor (HealthScript.Message) -> Void
    /// The continuation of the message that waits for a reply.
    private var waiter: CheckedContinuation<HealthScript.Reply, Never>?
    /// The reply to the next message.
    private var nextReply: HealthScript.Reply?
    /// The examination that waits for its result.
    private var examination: AsyncStream<ProbeResult>.Continuation?
    /// The identifier of the script of the current document.
    private var currentName: String?
    /// The identifier of the script of the former document, whose messages may arrive late.
    private var formerName: String?
    private var isOver = false

    /// Creates a channel.
    /// - Parameter receive: a closure that receives each message.
    init(receive: @escaping @MainActor (HealthScript.Message) -> Void) {
        self.receive = receive
    }

    /// Receives a message and waits for the reply.
    func reply(to message: ScriptMessage) async -> HealthScript.Reply {
        guard !isOver, let message = HealthScript.message(message.json),
            formerName == nil || message.from != formerName
        else { return .end }
        currentName = message.from
        if let look = message.look { examination?.yield(look) }
        receive(message)
        if message.isNotification { return .end }
        if let nextReply {
            self.nextReply = nil
            return nextReply
        }
        // The receiver may have ended the channel.
        guard !isOver else { return .end }
        waiter?.resume(returning: .end)
        return await withCheckedContinuation { waiter = $0 }
    }

    /// Sends a reply to the waiting message, or to the next message.
    func send(_ reply: HealthScript.Reply) {
        guard let waiter else {
            nextReply = reply
            return
        }
        self.waiter = nil
        waiter.resume(returning: reply)
    }

    /// Examines the page. An examination that still waits ends without a result.
    /// - Parameter limit: the time limit for the result.
    /// - Returns: the result; `nil` if the page does not reply within the limit, for example because it computes.
    func examine(within limit: Duration) async -> ProbeResult? {
        let (results, examination) = AsyncStream<ProbeResult>.makeStream(bufferingPolicy: .bufferingOldest(1))
        self.examination?.finish()
        self.examination = examination
        send(.examine)
        let first = Task { () -> ProbeResult? in
            for await result in results { return result }
            return nil
        }
        defer { first.cancel() }
        return await first.value(within: limit) ?? nil
    }

    /// Ends the message and the examination that wait for the former document.
    func documentChanged() {
        if let currentName { formerName = currentName }
        currentName = nil
        nextReply = nil
        waiter?.resume(returning: .end)
        waiter = nil
        examination?.finish()
        examination = nil
    }

    /// Ends the channel. Later messages get the reply `end`.
    func end() {
        isOver = true
        documentChanged()
    }
}

/// The result of the examination of a page.
struct ProbeResult: Sendable, Hashable, Decodable {
    /// A Boolean value that indicates whether the document is HTML, as opposed to an image, a video or text.
    var isHTML = true
    var isHidden = false
    /// A Boolean value that indicates whether the user has typed or pressed something.
    var isUsed = false
    /// A Boolean value that indicates whether there was a first contentful paint.
    var isPainted = false
    /// A Boolean value that indicates whether the document has no content at all.
    var isEmpty = false
    var hasScripts = false
    /// A Boolean value that indicates whether the document has a background colour or image.
    var hasBackground = false
    /// The uncaught errors of scripts.
    var bootErrors: [ScriptFailure] = []
    /// The URLs of scripts and style sheets that could not be loaded.
    var failedResources: [String] = []
    /// A Boolean value that indicates whether a package provided the document.
    var isPackaged = false
    /// A Boolean value that indicates whether the snapshot has one colour only; `nil` without a snapshot.
    var isUniform: Bool?

    /// The names of the findings in messages of the script.
    private enum CodingKeys: String, CodingKey {
        case isHTML = "html"
        case isHidden = "hidden"
        case isUsed = "used"
        case isPainted = "painted"
        case isEmpty = "empty"
        case hasScripts = "scripts"
        case hasBackground = "background"
        case bootErrors = "errors"
        case failedResources = "failed"
    }

    /// Returns a Boolean value that indicates whether a snapshot is necessary for the evaluation.
    func needsPicture(for signals: Set<BlankPageSignal>) -> Bool {
        isHTML && !isHidden && !isUsed && (!isPainted || signals.contains(.uniformPicture))
    }
}

/// An uncaught error of a script.
struct ScriptFailure: Sendable, Hashable, Decodable {
    let text: String
    /// The URL of the script; for an inline script the URL of the document.
    let file: String
}
