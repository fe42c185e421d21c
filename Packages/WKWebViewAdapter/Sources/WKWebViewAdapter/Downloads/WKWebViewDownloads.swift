// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine
    internal import WebKit
    internal import WebSyntax

    /// The downloads of a view, to which the delegates of the view forward their calls.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class WKWebViewDownloads: ViewDownloads {
        var onDownload: (@MainActor (ViewDownload) -> Void)?
        /// The downloads that ``onDownload`` has not received yet.
        private var pending: [WKWebViewDownload] = []
        private let clock: any Clock<Duration>
        private let isHandled: @MainActor (String) -> Bool
        private let isUserGesture: @MainActor (String) -> Bool
        private let answer: WKWebViewDownload.ChallengeHandler

        /// The schemes whose responses the engine can save.
        private static let savedSchemes: Set<String> = ["http", "https", "blob", "data"]

        /// - Parameters:
        ///   - clock: the clock of progress and time limits.
        ///   - isHandled: a closure that returns `true` if the app has a handler for a scheme in lower case.
        ///   - isUserGesture: a closure that returns `true` if a user gesture caused the navigation to a URL.
        ///   - answer: a closure that answers authentication challenges of downloads.
        init(
            clock: any Clock<Duration> = ContinuousClock(), isHandled: @escaping @MainActor (String) -> Bool,
            isUserGesture: @escaping @MainActor (String) -> Bool, answer: @escaping WKWebViewDownload.ChallengeHandler
        ) {
            self.clock = clock
            self.isHandled = isHandled
            self.isUserGesture = isUserGesture
            self.answer = answer
        }

        // MARK: Policies

        /// Returns the policy of a navigation that saves its target, such as a link with `download`; `nil` for other
        /// navigations. Call it after the prompts have recorded the navigation.
        func policy(for action: WKNavigationAction) -> WKNavigationActionPolicy? {
            guard action.shouldPerformDownload else { return nil }
            return isSaved(action.request.url) ? .download : .cancel
        }

        /// Returns the policy of a response that the engine does not show: an attachment (RFC 6266, section 4.2), or a
        /// document of an unsupported type. Other responses have `nil`. Frames do not save documents of unsupported
        /// types.
        func policy(for response: WKNavigationResponse) -> WKNavigationResponsePolicy? {
            // These responses have no content (RFC 9110, sections 15.3.5 and 15.3.6), and the engine shows nothing.
            if let status = (response.response as? HTTPURLResponse)?.statusCode, [204, 205].contains(status) {
                return nil
            }
            let isAttachment = Self.isAttachment(response.response)
            guard isAttachment || !response.canShowMIMEType else { return nil }
            guard isAttachment || response.isForMainFrame else { return .cancel }
            return isSaved(response.response.url) ? .download : .cancel
        }

        /// Returns a Boolean value that indicates whether the engine saves a URL. A URL with a custom scheme of the app
        /// is reported instead.
        private func isSaved(_ url: URL?) -> Bool {
            guard let onDownload, let url else { return false }
            let scheme = url.scheme?.asciiLowercased ?? ""
            let text = url.absoluteString
            guard isHandled(scheme) else { return Self.savedSchemes.contains(scheme) }
            onDownload(.named(url: text, isUserGesture: isUserGesture(text)))
            return false
        }

        private static func isAttachment(_ response: URLResponse) -> Bool {
            let field = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Disposition") ?? ""
            let type = field.utf8.prefix { $0 != UInt8(ascii: ";") }
            return String(Substring(type)).trimmingCharacters(in: .whitespaces).asciiLowercased == "attachment"
        }

        // MARK: Downloads

        /// Receives a download that a navigation or a response has become.
        func begin(_ download: WKDownload) {
            guard let onDownload else { return download.cancel(nil) }
            let url = download.originalRequest?.url?.absoluteString ?? ""
            pending.append(
                WKWebViewDownload(
                    download, isUserGesture: isUserGesture(url), clock: clock, answer: answer, onDownload: onDownload
                ) { [weak self] begun in self?.pending.removeAll { $0 === begun } })
        }

        func dropPendingDownloads() {
            for download in pending { download.cancel() }
        }

        /// Ends the pending downloads and starts no others. Those that are being saved continue. Call it when the view
        /// ends.
        func end() {
            onDownload = nil
            dropPendingDownloads()
        }

        // MARK: Media types

        /// Returns a Boolean value that indicates whether the engine can display documents of a media type.
        ///
        /// WebKit reports this for responses only, by `canShowMIMEType`. Believed, from its sources: these types. A
        /// device shows it by responses of these types.
        func canShow(_ mediaType: String) -> Bool {
            if Self.shownTypes.contains(mediaType) || mediaType.hasSuffix("+xml") { return true }
            return mediaType.hasPrefix("text/") && !Self.savedTexts.contains(mediaType)
        }

        private static let shownTypes: Set<String> = [
            "application/ecmascript", "application/javascript", "application/json", "application/pdf",
            "application/x-javascript", "application/xml", "audio/aac", "audio/mp4", "audio/mpeg", "audio/wav",
            "audio/x-m4a", "audio/x-wav", "image/apng", "image/avif", "image/bmp", "image/gif", "image/heic",
            "image/heif", "image/jpeg", "image/png", "image/tiff", "image/vnd.microsoft.icon", "image/webp",
            "image/x-icon", "multipart/x-mixed-replace", "video/mp4", "video/mpeg", "video/quicktime", "video/webm",
            "video/x-m4v",
        ]
        private static let savedTexts: Set<String> = [
            "text/calendar", "text/directory", "text/ldif", "text/qif", "text/rtf", "text/vcalendar", "text/vcard",
            "text/x-calendar", "text/x-csv", "text/x-qif", "text/x-vcalendar", "text/x-vcard", "text/x-vcf",
        ]
    }
#endif
