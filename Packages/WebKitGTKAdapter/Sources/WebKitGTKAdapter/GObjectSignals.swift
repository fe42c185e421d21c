// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    /// Keeps an object of this house reachable from C callbacks, and the callbacks disconnected once it goes.
    ///
    /// The C side holds an unretained pointer to the target; the target keeps these connections as long as itself.
    @MainActor
    final class GObjectSignals {
        private let instance: gpointer
        private var handlers: [gulong] = []

        /// - Parameter instance: an instance of GObject, which this object keeps alive.
        init(of instance: gpointer) {
            self.instance = g_object_ref(instance)
        }

        func connect(_ signal: String, _ callback: GCallback, to target: AnyObject) {
            let data = Unmanaged.passUnretained(target).toOpaque()
            handlers.append(g_signal_connect_data(instance, signal, callback, data, nil, GConnectFlags(rawValue: 0)))
        }

        func disconnect() {
            for handler in handlers {
                g_signal_handler_disconnect(instance, handler)
            }
            handlers.removeAll()
        }

        isolated deinit {
            disconnect()
            g_object_unref(instance)
        }
    }

    /// The object behind the user data of a C callback.
    func target<Object: AnyObject>(_ data: gpointer?, as type: Object.Type = Object.self) -> Object? {
        data.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Takes the text of an error and frees it.
    func message(of error: UnsafeMutablePointer<GError>?) -> String {
        guard let error else { return "unknown error" }
        defer { g_error_free(error) }
        return String(cString: error.pointee.message)
    }

    /// Takes a string that the caller must free.
    func take(_ string: UnsafeMutablePointer<CChar>?) -> String? {
        guard let string else { return nil }
        defer { g_free(string) }
        return String(cString: string)
    }
#endif
