// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine
    internal import WebKit

    /// A handler of the script messages with one name in one world, until it is stopped.
    @MainActor
    final class MessageHandler {
        /// The settlement of the promise of a message.
        private enum Reply: Sendable {
            case json(String)
            case rejection(String)
        }

        /// The object that WebKit retains with the configuration of the view. It references its handler weakly, because
        /// the view retains the configuration.
        final class Proxy: NSObject, WKScriptMessageHandlerWithReply {
            weak var handler: MessageHandler?

            func userContentController(
                _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
                replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void
            ) {
                guard let handler else { return replyHandler(nil, "the handler was released") }
                handler.receive(message.body, from: message.frameInfo, replyHandler)
            }
        }

        /// The maximum number of messages that wait for a reply. The promises of further messages are rejected.
        static let limit = 256

        /// The bytes of the messages of a view that wait for a reply, and their limit.
        @MainActor
        final class Budget {
            /// The maximum number of bytes of all messages of the view as JSON; 64 MB. The promises of further messages
            /// are rejected.
            var limit = ScriptValue.sizeLimit
            fileprivate(set) var used = 0
        }

        let name: String
        let world: ScriptWorld
        private let budget: Budget
        private let answer: @MainActor (ScriptMessage) async throws -> String
        private let documentURL: @MainActor () -> String
        private let controller: WKUserContentController
        /// A message without a reply.
        private struct Pending {
            let work: Task<Void, Never>
            let reply: CompletionGuard<Reply>
            let isOfPage: Bool
        }

        private var waiting: [UInt64: Pending] = [:]
        private var lastID: UInt64 = 0
        private var isStopped = false
        /// The number of the last message of an earlier document.
        private var lastOfEarlier: UInt64 = 0
        /// A Boolean value that indicates whether a message of the current document has no reply yet. Messages of
        /// frames do not count.
        var hasPendingReply: Bool { waiting.contains { $0.key > lastOfEarlier && $0.value.isOfPage } }

        /// The number of messages without a reply.
        var pendingCount: Int { waiting.count }

        /// Creates and registers a handler. No other handler may have the name in the world.
        /// - Parameters:
        ///   - budget: the budget of the view, which the message uses until the closure has returned.
        ///   - documentURL: a closure that returns the URL of the current document.
        init(
            named name: String, in world: ScriptWorld, of controller: WKUserContentController, budget: Budget,
            documentURL: @escaping @MainActor () -> String,
            _ answer: @escaping @MainActor (ScriptMessage) async throws -> String
        ) {
            (self.name, self.world, self.controller) = (name, world, controller)
            (self.budget, self.documentURL, self.answer) = (budget, documentURL, answer)
            let proxy = Proxy()
            proxy.handler = self
            controller.addScriptMessageHandler(proxy, contentWorld: world.contentWorld, name: name)
        }

        deinit { for pending in waiting.values { pending.work.cancel() } }

        /// Removes the name, cancels the pending replies, and rejects their promises.
        func stop(_ reason: String) {
            guard !isStopped else { return }
            isStopped = true
            controller.removeScriptMessageHandler(forName: name, contentWorld: world.contentWorld)
            let ended = waiting.values
            waiting = [:]
            for pending in ended {
                pending.work.cancel()
                pending.reply.complete(.rejection(reason))
            }
        }

        /// Records that another document replaced the document. Pending replies continue.
        func documentChanged() { lastOfEarlier = lastID }

        private func receive(
            _ body: Any, from frame: WKFrameInfo, _ replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void
        ) {
            let reply = CompletionGuard<Reply>(otherwise: .rejection("the handler was released")) { reply in
                switch reply {
                case .json(let json):
                    let value = try? ScriptValue.value(of: json)
                    replyHandler(value, value == nil ? "the app's reply is not JSON" : nil)
                case .rejection(let reason): replyHandler(nil, reason)
                }
            }
            guard !isStopped else { return reply.complete(.rejection("the handler was removed")) }
            guard waiting.count < Self.limit else {
                return reply.complete(.rejection("too many messages with pending replies (limit \(Self.limit))"))
            }
            let message: ScriptMessage
            do {
                let limit = min(ScriptValue.sizeLimit, budget.limit - budget.used)
                let json = try ScriptValue.json(of: body, upTo: limit)
                message = ScriptMessage(json: json, documentURL: frame.senderURL(in: documentURL()))
            } catch {
                return reply.complete(.rejection("\(error)"))
            }
            let size = message.json.utf8.count
            budget.used += size
            lastID += 1
            let id = lastID
            // The task references this object weakly, so that a handler that never replies does not retain it.
            let work = Task { [weak self, budget, answer] in
                // A handler that ignores its cancellation still has the message.
                defer { budget.used -= size }
                do {
                    reply.complete(.json(try await answer(message)))
                } catch {
                    reply.complete(.rejection(String(describing: error)))
                }
                self?.waiting[id] = nil
            }
            waiting[id] = Pending(work: work, reply: reply, isOfPage: frame.isMainFrame)
        }
    }

    extension WKFrameInfo {
        /// Returns the URL that a message of the frame has: that of the document, or the serialized origin of a frame
        /// of another origin.
        /// - Parameter documentURL: the URL of the document of the main frame.
        fileprivate func senderURL(in documentURL: String) -> String {
            isMainFrame || securityOrigin.isOrigin(of: documentURL) ? documentURL : securityOrigin.serialized
        }
    }

    extension WKSecurityOrigin {
        /// The host, in brackets if it is an IPv6 address. The parts of an opaque origin are empty.
        private var bracketedHost: String { host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host }

        /// The serialization (HTML, section "Origin"); `null` for an opaque origin.
        fileprivate var serialized: String {
            guard !`protocol`.isEmpty, !host.isEmpty else { return "null" }
            return "\(`protocol`)://\(bracketedHost)" + (port == 0 ? "" : ":\(port)")
        }

        /// Returns a Boolean value that indicates whether a URL in the form of WebKit has the origin. An opaque origin
        /// is that of no URL.
        fileprivate func isOrigin(of url: String) -> Bool {
            let origin = serialized
            guard origin != "null", url.utf8.starts(with: origin.utf8) else { return false }
            let rest = url.utf8.dropFirst(origin.utf8.count)
            return rest.isEmpty || rest.first.map { "/?#".utf8.contains($0) } == true
        }
    }
#endif
