// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    /// The reply to one script message. It settles the promise once.
    @MainActor
    final class ScriptMessageReply {
        private let reply: OpaquePointer
        private let context: UnsafeMutablePointer<JSCContext>
        private var isSettled = false

        /// Creates a reply and retains the objects that the engine needs for a reply after its signal.
        init(_ reply: OpaquePointer, to message: UnsafeMutablePointer<JSCValue>) {
            self.reply = webkit_script_message_reply_ref(reply)
            context = jsc_value_get_context(message)
            g_object_ref(context)
        }

        isolated deinit {
            webkit_script_message_reply_unref(reply)
            g_object_unref(context)
        }

        /// Resolves the promise.
        /// - Parameter json: the value as JSON. Other text rejects the promise.
        func resolve(json: String) {
            // The engine would ignore the text after a NUL character.
            guard !json.utf8.contains(0), let value = jsc_value_new_from_json(context, json) else {
                jsc_context_clear_exception(context)
                reject("the app's reply is not JSON")
                return
            }
            defer { g_object_unref(value) }
            guard !isSettled else { return }
            isSettled = true
            webkit_script_message_reply_return_value(reply, value)
        }

        func reject(_ reason: String) {
            guard !isSettled else { return }
            isSettled = true
            webkit_script_message_reply_return_error_message(reply, reason)
        }
    }
#endif
