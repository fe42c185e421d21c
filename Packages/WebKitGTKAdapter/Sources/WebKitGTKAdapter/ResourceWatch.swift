// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK

    /// An observer of one resource that the engine loads. It reports the end of the load.
    ///
    /// The signal connections of the resource own the observer, and the observer has no reference to the resource. The
    /// observer is released when the engine releases the resource, even if the load has not ended.
    @MainActor
    final class ResourceWatch {
        private var failure: String?
        private var report: (@MainActor (EngineResource) -> Void)?

        private init(_ report: @escaping @MainActor (EngineResource) -> Void) {
            self.report = report
        }

        /// Starts to observe a resource.
        /// - Parameters:
        ///   - resource: a `WebKitWebResource`.
        ///   - report: a closure that receives the report, once.
        static func start(_ resource: gpointer, report: @escaping @MainActor (EngineResource) -> Void) {
            let watch = ResourceWatch(report)
            let failed:
                @convention(c) (UnsafeMutablePointer<WebKitWebResource>, UnsafeMutablePointer<GError>?, gpointer?) ->
                    Void = { _, error, data in
                        let text = error.map { String(cString: $0.pointee.message) } ?? "failed"
                        MainActor.assumeIsolated { object(data, as: ResourceWatch.self)?.failure = text }
                    }
            watch.connect(resource, "failed", unsafeBitCast(failed, to: GCallback.self))
            let finished: @convention(c) (UnsafeMutablePointer<WebKitWebResource>, gpointer?) -> Void = {
                resource, data in
                MainActor.assumeIsolated { object(data, as: ResourceWatch.self)?.finish(resource) }
            }
            watch.connect(resource, "finished", unsafeBitCast(finished, to: GCallback.self))
        }

        private func connect(_ resource: gpointer, _ signal: String, _ callback: GCallback) {
            g_signal_connect_data(
                resource, signal, callback, Unmanaged.passRetained(self).toOpaque(),
                { data, _ in data.map { Unmanaged<ResourceWatch>.fromOpaque($0).release() } },
                GConnectFlags(rawValue: 0))
        }

        private func finish(_ resource: UnsafeMutablePointer<WebKitWebResource>) {
            let response = webkit_web_resource_get_response(resource)
            let length = response.map { Int64(clamping: webkit_uri_response_get_content_length($0)) }
            let status = response.map { Int(webkit_uri_response_get_status_code($0)) }
            report?(
                EngineResource(
                    url: webkit_web_resource_get_uri(resource).map { String(cString: $0) } ?? "", status: status,
                    length: length.flatMap { $0 > 0 ? $0 : nil }, failure: failure))
            report = nil
        }
    }
#endif
