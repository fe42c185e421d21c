// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK

    /// A handler of the script messages with one name, until it is stopped.
    @MainActor
    final class ScriptMessageHandler {
        let name: String
        let world: ScriptWorld
        private let limit: Int
        private let answer: @MainActor (ScriptMessage) async throws -> String
        private weak var view: WebKitGTKView?
        private let contentManager: UnsafeMutablePointer<WebKitUserContentManager>
        private let signals: GObjectSignals
        private var waiting: [UInt64: (work: Task<Void, Never>, reply: ScriptMessageReply)] = [:]
        private var lastID: UInt64 = 0
        private var isStopped = false
        /// The number of the last message of an earlier document. ``hasPendingReply`` ignores messages up to it.
        private var lastOfEarlier: UInt64 = 0
        /// A Boolean value that indicates whether a message of the current document has no reply yet.
        var hasPendingReply: Bool { waiting.keys.contains { $0 > lastOfEarlier } }

        /// Creates and registers a handler.
        /// - Parameter limit: the maximum number of messages with pending replies.
        /// - Throws: `EngineError` with code `handlerTaken`.
        init(
            of view: WebKitGTKView, name: String, world: ScriptWorld, limit: Int,
            answer: @escaping @MainActor (ScriptMessage) async throws -> String
        ) throws {
            // The name becomes the detail of a signal, which cannot be empty.
            guard !name.isEmpty, !name.utf8.contains(0) else {
                throw EngineError(.handlerTaken, "invalid handler name", at: name)
            }
            self.name = name
            self.world = world
            self.limit = limit
            self.answer = answer
            self.view = view
            contentManager = view.contentManager
            // The object also retains the content manager.
            signals = GObjectSignals(of: contentManager)
            let received:
                @convention(c) (
                    UnsafeMutablePointer<WebKitUserContentManager>, UnsafeMutablePointer<JSCValue>, OpaquePointer,
                    gpointer?
                ) -> gboolean = { _, value, reply, data in
                    MainActor.assumeIsolated { target(data, as: ScriptMessageHandler.self)?.receive(value, reply) }
                    return 1
                }
            // WebKit's documentation requires the connection before the registration.
            signals.connect(
                "script-message-with-reply-received::\(name)", unsafeBitCast(received, to: GCallback.self), to: self)
            let isRegistered = webkit_user_content_manager_register_script_message_handler_with_reply(
                contentManager, name, world.name)
            guard isRegistered != 0 else {
                signals.disconnect()
                isStopped = true
                throw EngineError(.handlerTaken, "the engine rejects a handler with this name", at: name)
            }
        }

        isolated deinit {
            stop("the handler was released")
        }

        /// Unregisters the name, cancels the pending replies, and rejects their promises.
        func stop(_ reason: String) {
            guard !isStopped else { return }
            isStopped = true
            // The name is unregistered before the disconnect, because an unhandled message leaves its promise pending.
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

        /// Records that the document was replaced. Pending replies continue, but the current document does not wait for
        /// them.
        func documentChanged() { lastOfEarlier = lastID }

        private func receive(_ value: UnsafeMutablePointer<JSCValue>, _ engineReply: OpaquePointer) {
            let reply = ScriptMessageReply(engineReply, to: value)
            guard waiting.count < limit else {
                reply.reject("too many messages with pending replies (limit \(limit))")
                return
            }
            let message = ScriptMessage(json: json(of: value), documentURL: view?.location.documentURL ?? "")
            lastID += 1
            let id = lastID
            // The task references this object weakly, so that a handler that never replies does not retain it.
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
