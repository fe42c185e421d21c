// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    public import Foundation
    public import HTTPTypes
    internal import WebSyntax

    /// A form of the adapter, which loads a URL by POST.
    ///
    /// The engine has no public call for a request with a body. Measured with WebKitGTK 2.50: if a view shows alternate
    /// HTML for the URL, and a form in it is submitted before the end of its load, the document of the POST takes the
    /// history entry of the form. The form has the origin of the URL, so that the request has all cookies of the site.
    struct PostForm {
        /// The URL of the document.
        let url: String
        /// The document with the form.
        let html: String
        /// The script that submits the form. It runs in a world of the adapter, where no page replaces `submit`.
        let script: String
        /// The engine's object for the script, while the view has it.
        var userScript: OpaquePointer?
        /// A Boolean value that indicates whether the app has stopped the load.
        var isStopped = false

        /// Creates a form with one control.
        /// - Parameter body: one pair `name=value` of ASCII letters and digits.
        /// - Returns: `nil` for another body.
        init?(_ body: Data, to url: String) {
            let pair = body.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            guard pair.count == 2, pair.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIIAlphanumeric) }) else {
                return nil
            }
            let (name, value) = (String(decoding: pair[0], as: UTF8.self), String(decoding: pair[1], as: UTF8.self))
            let action = url.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
            self.url = url
            html = """
                <!doctype html><meta name="referrer" content="no-referrer">\
                <form method="post" action="\(action)"><input type="hidden" name="\(name)" value="\(value)"></form>
                """
            // A document of an earlier load may still appear in the view.
            script = """
                if (document.forms[0]?.elements[0]?.value === "\(value)") document.forms[0].submit();
                """
        }

        /// Creates a form whose load the app has stopped. Its script has ended.
        init(stopped form: PostForm) {
            self = form
            userScript = nil
            isStopped = true
        }
    }

    // Form navigations. The engine stops the loads of a document when the decision on its navigation is made.
    extension WebKitGTKView {
        typealias FormWait = @MainActor (_ url: String) -> (@MainActor () async -> Void)?

        /// Sets a closure that can delay the decision on each form navigation.
        public func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?) {
            formWait = wait
        }

        /// Returns a Boolean value that indicates whether the decision on a navigation is made later.
        func holdsForm(_ decision: UnsafeMutablePointer<WebKitPolicyDecision>) -> Bool {
            // For a request on a custom scheme, WebKitGTK 2.50 reports neither the method nor the header fields.
            guard let formWait, let url = Self.submissionURL(of: decision), let wait = formWait(url) else {
                return false
            }
            g_object_ref(decision)
            Task {
                await wait()
                // This has no effect if another navigation or the end of the frame has already made the decision.
                webkit_policy_decision_use(decision)
                g_object_unref(decision)
            }
            return true
        }

        /// Returns the URL of a navigation that submits a form; `nil` for another navigation.
        private static func submissionURL(of decision: UnsafeMutablePointer<WebKitPolicyDecision>) -> String? {
            guard let action = webkit_navigation_policy_decision_get_navigation_action(decision.asNavigation),
                webkit_navigation_action_get_navigation_type(action) == WEBKIT_NAVIGATION_TYPE_FORM_SUBMITTED
            else { return nil }
            return webkit_uri_request_get_uri(webkit_navigation_action_get_request(action)).map { String(cString: $0) }
        }

        // MARK: Posts

        /// The documents that are requested with a method other than GET.
        public var posting: any ViewPosting { self }

        /// `false`, because the engine has no public call for a request with a body.
        public var sendsBodies: Bool { false }

        /// A Boolean value that indicates whether the view shows, or is about to show, a form that loads a URL by POST.
        var isShowingForm: Bool { postForm.map { !$0.isStopped } ?? false }

        /// Starts to load a URL by POST, with a form in place of the document. The form itself sends no signals.
        ///
        /// A load with a body that is not one pair `name=value` of ASCII letters and digits fails.
        public func post(_ body: Data, fields: HTTPFields, to url: String) {
            guard !isDiscarded else { return }
            endEnginePrompts()
            cancelDocuments()
            location.recordLoad(for: url)
            proxyRetries = 0
            hasProcess = true
            guard var form = PostForm(body, to: url) else {
                guard location.cancelLoad() != nil else { return }
                let error = EngineError(.loadFailed, "the engine cannot send the body", at: url)
                onSignal?(.failed(url: url, error: error))
                return
            }
            form.userScript = webkit_user_script_new_for_world(
                form.script, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_END,
                GivenDocuments.world.name, nil, nil)
            postForm = form
            if let script = form.userScript { webkit_user_content_manager_add_script(contentManager, script) }
            webkit_web_view_load_alternate_html(web, form.html, url, url)
        }

        /// Decides on the submission of the adapter's form. The load of the app then begins.
        ///
        /// While the view shows the form, the next submission is that of the form, whose document has no other form.
        /// Its URL is not compared, because the engine may spell it differently. After a stop, another document may
        /// submit a form to another URL.
        /// - Returns: `true` if the form must not be submitted; `nil` if the navigation is another.
        func submitPostForm(_ decision: UnsafeMutablePointer<WebKitPolicyDecision>) -> Bool? {
            guard let form = postForm, let url = Self.submissionURL(of: decision) else { return nil }
            guard !form.isStopped || url == form.url || url == URLSpelling.resolve(form.url, against: form.url) else {
                return nil
            }
            endPostForm()
            if form.isStopped { webkit_policy_decision_ignore(decision) }
            return form.isStopped
        }

        /// Ends the form, because it was submitted or another load replaces it.
        func endPostForm() {
            guard let form = postForm else { return }
            postForm = nil
            guard let script = form.userScript else { return }
            if !isDiscarded { webkit_user_content_manager_remove_script(contentManager, script) }
            webkit_user_script_unref(script)
        }
    }
#endif
