// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import ContainerKit

    /// Answers the messages that pages post under one name.
    @MainActor
    final class ScriptMessageHandler {
        let name: String
        let world: ScriptWorld
        private let answer: @MainActor (ScriptMessage) async throws -> String
        private weak let view: WebKitGTKView?
        private let contentManager: UnsafeMutablePointer<WebKitUserContentManager>
        private var signals: GObjectSignals?

        init(
            of view: WebKitGTKView, name: String, world: ScriptWorld,
            answer: @escaping @MainActor (ScriptMessage) async throws -> String
        ) {
            self.name = name
            self.world = world
            self.answer = answer
            self.view = view
            contentManager = view.contentManager
            let signals = GObjectSignals(of: contentManager, to: self)
            let received:
                @convention(c) (
                    UnsafeMutablePointer<WebKitUserContentManager>, UnsafeMutablePointer<JSCValue>, OpaquePointer,
                    gpointer?
                ) -> gboolean = { _, value, reply, data in
                    MainActor.assumeIsolated { target(data, as: ScriptMessageHandler.self)?.receive(value, reply) }
                    return 1
                }
            signals.connect("script-message-with-reply-received::\(name)", unsafeBitCast(received, to: GCallback.self))
            self.signals = signals
            webkit_user_content_manager_register_script_message_handler_with_reply(contentManager, name, world.name)
        }

        isolated deinit {
            signals = nil
            if let world = world.name {
                webkit_user_content_manager_unregister_script_message_handler_in_world(contentManager, name, world)
            } else {
                webkit_user_content_manager_unregister_script_message_handler(contentManager, name)
            }
        }

        private func receive(_ value: UnsafeMutablePointer<JSCValue>, _ reply: OpaquePointer) {
            let message = ScriptMessage(json: json(of: value), documentURL: view?.documentURL ?? "")
            // The reply comes later: the engine's objects must outlive this call.
            webkit_script_message_reply_ref(reply)
            let context = jsc_value_get_context(value)
            g_object_ref(context)
            Task {
                do {
                    let text = try await answer(message)
                    let result = jsc_value_new_from_json(context, text)
                    webkit_script_message_reply_return_value(reply, result)
                    g_object_unref(result)
                } catch {
                    webkit_script_message_reply_return_error_message(reply, String(describing: error))
                }
                g_object_unref(context)
                webkit_script_message_reply_unref(reply)
            }
        }
    }
#endif
