// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import ContainerKit

    /// Watches one resource that the engine loads, and reports how it ended.
    @MainActor
    final class ResourceWatch {
        private var signals: GObjectSignals?
        private var failure: String?
        private let report: @MainActor (EngineResource) -> Void

        private init(_ report: @escaping @MainActor (EngineResource) -> Void) {
            self.report = report
        }

        /// Keeps itself alive until the resource has ended.
        static func start(
            _ resource: UnsafeMutablePointer<WebKitWebResource>, report: @escaping @MainActor (EngineResource) -> Void
        ) {
            let watch = ResourceWatch(report)
            let signals = GObjectSignals(of: resource, to: watch)
            let failed:
                @convention(c) (UnsafeMutablePointer<WebKitWebResource>, UnsafeMutablePointer<GError>?, gpointer?) ->
                    Void = { _, error, data in
                        let text = error.map { String(cString: $0.pointee.message) } ?? "failed"
                        MainActor.assumeIsolated { target(data, as: ResourceWatch.self)?.failure = text }
                    }
            signals.connect("failed", unsafeBitCast(failed, to: GCallback.self))
            let finished: @convention(c) (UnsafeMutablePointer<WebKitWebResource>, gpointer?) -> Void = {
                resource, data in
                MainActor.assumeIsolated { target(data, as: ResourceWatch.self)?.finish(resource) }
            }
            signals.connect("finished", unsafeBitCast(finished, to: GCallback.self))
            watch.signals = signals
            // Balanced in `finish(_:)`, which the engine calls for every resource, failed ones too.
            _ = Unmanaged.passRetained(watch)
        }

        private func finish(_ resource: UnsafeMutablePointer<WebKitWebResource>) {
            let response = webkit_web_resource_get_response(resource)
            let length = response.map { Int64(clamping: webkit_uri_response_get_content_length($0)) }
            let status = response.map { Int(webkit_uri_response_get_status_code($0)) }
            report(
                EngineResource(
                    url: webkit_web_resource_get_uri(resource).map { String(cString: $0) } ?? "", status: status,
                    length: length.flatMap { $0 > 0 ? $0 : nil }, failure: failure))
            signals?.disconnect()
            // Not from inside the signal's emission, which still uses this object.
            Task {
                signals = nil
                Unmanaged.passUnretained(self).release()
            }
        }
    }
#endif
