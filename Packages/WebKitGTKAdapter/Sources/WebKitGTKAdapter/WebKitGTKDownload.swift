// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK

    /// A download of the engine's network process.
    ///
    /// Measured (WebKitGTK 2.50): the download waits for its destination without a time limit. An incomplete file has
    /// the suffix `.wkdownload` and remains if the process is killed. The engine also sends `finished` after `failed`.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class WebKitGTKDownload: EngineDownload {
        private(set) var head: EngineDownloadHead
        private let download: UnsafeMutablePointer<WebKitDownload>
        private weak var view: WebKitGTKView?
        private var signals: GObjectSignals?
        private var receive: (@MainActor (EngineDownloadSignal) -> Void)?
        private var failure: EngineError?
        /// The receiver of the view's downloads when this download began. Another page may use the view by now.
        private var onDownload: (@MainActor (ViewDownload) -> Void)?
        private var onEnd: (@MainActor (WebKitGTKDownload) -> Void)?

        /// - Parameter onEnd: a closure that is called when the engine has ended the download.
        init(
            _ download: UnsafeMutablePointer<WebKitDownload>, url: String, isUserGesture: Bool, in view: WebKitGTKView,
            onEnd: @escaping @MainActor (WebKitGTKDownload) -> Void
        ) {
            self.download = download
            self.view = view
            onDownload = view.onDownload
            self.onEnd = onEnd
            head = EngineDownloadHead(
                url: url, suggestedName: nil, mediaType: nil, length: nil, status: nil, isUserGesture: isUserGesture)
            let signals = GObjectSignals(of: download)
            self.signals = signals
            connect(signals)
        }

        private func connect(_ signals: GObjectSignals) {
            let onDecide:
                @convention(c) (UnsafeMutablePointer<WebKitDownload>, UnsafePointer<CChar>?, gpointer?) -> gboolean = {
                    _, name, data in
                    let name = name.map { String(cString: $0) }
                    MainActor.assumeIsolated { target(data, as: WebKitGTKDownload.self)?.offer(name) }
                    // The engine waits for `webkit_download_set_destination`.
                    return 1
                }
            signals.connect("decide-destination", unsafeBitCast(onDecide, to: GCallback.self), to: self)
            let received: @convention(c) (UnsafeMutablePointer<WebKitDownload>, guint64, gpointer?) -> Void = {
                download, _, data in
                MainActor.assumeIsolated {
                    let bytes = Int64(clamping: webkit_download_get_received_data_length(download))
                    target(data, as: WebKitGTKDownload.self)?.receive?(.received(bytes))
                }
            }
            signals.connect("received-data", unsafeBitCast(received, to: GCallback.self), to: self)
            let failed:
                @convention(c) (UnsafeMutablePointer<WebKitDownload>, UnsafeMutablePointer<GError>?, gpointer?) ->
                    Void = { _, error, data in
                        let text = error.map { String(cString: $0.pointee.message) } ?? "the download failed"
                        let isOfPlace = error.map {
                            $0.pointee.domain == webkit_download_error_quark()
                                && $0.pointee.code == gint(WEBKIT_DOWNLOAD_ERROR_DESTINATION.rawValue)
                        }
                        MainActor.assumeIsolated {
                            target(data, as: WebKitGTKDownload.self)?.fail(text, isOfPlace: isOfPlace ?? false)
                        }
                    }
            signals.connect("failed", unsafeBitCast(failed, to: GCallback.self), to: self)
            let finished: @convention(c) (UnsafeMutablePointer<WebKitDownload>, gpointer?) -> Void = { _, data in
                MainActor.assumeIsolated { target(data, as: WebKitGTKDownload.self)?.finish() }
            }
            signals.connect("finished", unsafeBitCast(finished, to: GCallback.self), to: self)
        }

        private func offer(_ name: String?) {
            view?.pendingDownloads.removeAll { $0 === self }
            guard let onDownload else { return cancel() }
            self.onDownload = nil
            head.suggestedName = name
            if let response = webkit_download_get_response(download) {
                head.url = webkit_uri_response_get_uri(response).map { String(cString: $0) } ?? head.url
                head.mediaType = webkit_uri_response_get_mime_type(response).map { String(cString: $0) }
                let length = webkit_uri_response_get_content_length(response)
                // The length of an encoded response is not the length of the saved file.
                head.length = length > 0 && containerkit_is_encoded(response) == 0 ? Int64(clamping: length) : nil
                let status = webkit_uri_response_get_status_code(response)
                head.status = status > 0 ? Int(status) : nil
            }
            onDownload(.engine(self))
        }

        func save(to path: String, _ receive: @escaping @MainActor (EngineDownloadSignal) -> Void) {
            self.receive = receive
            guard onEnd != nil, let url = consume(g_filename_to_uri(path, nil, nil)) else {
                cancel()
                return end(.failed(EngineError(.loadFailed, failure?.message ?? "the download ended", at: head.url)))
            }
            webkit_download_set_destination(download, url)
        }

        func cancel() {
            guard onEnd != nil else { return }
            webkit_download_cancel(download)
        }

        private func fail(_ text: String, isOfPlace: Bool) {
            failure = failure ?? EngineError(isOfPlace ? .storage : .loadFailed, text, at: head.url)
        }

        private func finish() {
            end(failure.map { .failed($0) } ?? .finished)
        }

        private func end(_ signal: EngineDownloadSignal) {
            view?.pendingDownloads.removeAll { $0 === self }
            let (receive, onEnd) = (receive, onEnd)
            self.receive = nil
            self.onEnd = nil
            receive?(signal)
            onEnd?(self)
        }
    }
#endif
