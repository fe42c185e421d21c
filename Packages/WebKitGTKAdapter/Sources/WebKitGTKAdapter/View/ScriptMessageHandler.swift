// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK

    /// Answers the messages that pages post under one name, until it is stopped.
    @MainActor
    final class ScriptMessageHandler {
        let name: String
        let world: ScriptWorld
        private let limit: Int
        private let answer: @MainActor (ScriptMessage) async throws -> String
        private weak let view: WebKitGTKView?
        private let contentManager: UnsafeMutablePointer<WebKitUserContentManager>
        private let signals: GObjectSignals
        private var waiting: [UInt64: (work: Task<Void, Never>, reply: ScriptMessageReply)] = [:]
        private var lastID: UInt64 = 0
        private var isStopped = false
        /// The last message of earlier documents, which take no answer.
        private var lastOfEarlier: UInt64 = 0
        /// Whether a message of the view's document waits for its answer.
        var hasPendingReply: Bool { waiting.keys.contains { $0 > lastOfEarlier } }

        /// - Parameter limit: the most messages that wait for an answer.
        /// - Throws: `EngineError` with code `handlerTaken`.
        init(
            of view: WebKitGTKView, name: String, world: ScriptWorld, limit: Int,
            answer: @escaping @MainActor (ScriptMessage) async throws -> String
        ) throws {
            // The name becomes the detail of a signal, which cannot be empty.
            guard !name.isEmpty, !name.utf8.contains(0) else {
                throw EngineError(.handlerTaken, "not a name for a handler", at: name)
            }
            self.name = name
            self.world = world
            self.limit = limit
            self.answer = answer
            self.view = view
            contentManager = view.contentManager
            // Keeps the content manager as long as this object.
            signals = GObjectSignals(of: contentManager)
            let received:
                @convention(c) (
                    UnsafeMutablePointer<WebKitUserContentManager>, UnsafeMutablePointer<JSCValue>, OpaquePointer,
                    gpointer?
                ) -> gboolean = { _, value, reply, data in
                    MainActor.assumeIsolated { target(data, as: ScriptMessageHandler.self)?.receive(value, reply) }
                    return 1
                }
            // Before the name is registered, as the engine's documentation asks.
            signals.connect(
                "script-message-with-reply-received::\(name)", unsafeBitCast(received, to: GCallback.self), to: self)
            let isRegistered = webkit_user_content_manager_register_script_message_handler_with_reply(
                contentManager, name, world.name)
            guard isRegistered != 0 else {
                signals.disconnect()
                isStopped = true
                throw EngineError(.handlerTaken, "the engine refuses a handler of this name", at: name)
            }
        }

        isolated deinit {
            stop("the handler is gone")
        }

        /// Takes the name back, cancels the answers under way, and rejects their promises.
        func stop(_ reason: String) {
            guard !isStopped else { return }
            isStopped = true
            // Unregistered first: a message that nobody hears would leave its promise open.
            if let world = world.name {
                webkit_user_content_manager_unregister_script_message_handler_in_world(contentManager, name, world)
            } else {
                webkit_user_content_manager_unregister_script_message_handler(contentManager, name)
            }
            signals.disconnect()
            let waiting = waiting.values
            self.waiting.removeAll()
            for (work, reply) in waiting {
                work.cancel()
                reply.reject(reason)
            }
        }

        /// Another document is there, or none. The answers under way go on, and nobody waits for them.
        func documentChanged() { lastOfEarlier = lastID }

        private func receive(_ value: UnsafeMutablePointer<JSCValue>, _ engineReply: OpaquePointer) {
            let reply = ScriptMessageReply(engineReply, to: value)
            guard waiting.count < limit else {
                reply.reject("too many messages wait for an answer (limit \(limit))")
                return
            }
            let message = ScriptMessage(json: json(of: value), documentURL: view?.location.documentURL ?? "")
            lastID += 1
            let id = lastID
            // The work knows this object weakly, so that a handler that never answers keeps nothing alive.
            let work = Task { [weak self, answer] in
                do {
                    reply.resolve(json: try await answer(message))
                } catch {
                    reply.reject(String(describing: error))
                }
                self?.waiting[id] = nil
            }
            waiting[id] = (work, reply)
        }
    }
#endif
