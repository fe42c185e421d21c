// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    /// Signal connections of one GObject.
    ///
    /// A connection references its target weakly. If the last reference to a target is released on another thread, the
    /// target is deinitialized in a later turn of the main loop. Signals until then are ignored.
    @MainActor
    final class GObjectSignals {
        private let instance: gpointer
        private var handlers: [gulong] = []

        /// - Parameter instance: a GObject instance, which this object retains.
        init(of instance: gpointer) {
            self.instance = g_object_ref(instance)
        }

        func connect(_ signal: String, _ callback: GCallback, to target: AnyObject) {
            handlers.append(Self.connect(instance, signal, callback, to: target))
        }

        /// Connects a signal without retaining the instance. The caller keeps the instance alive and disconnects the
        /// signal.
        static func connect(
            _ instance: gpointer, _ signal: String, _ callback: GCallback, to target: AnyObject
        ) -> gulong {
            let data = Unmanaged.passRetained(WeakTarget(target)).toOpaque()
            return g_signal_connect_data(
                instance, signal, callback, data,
                { data, _ in data.map { Unmanaged<WeakTarget>.fromOpaque($0).release() } },
                GConnectFlags(rawValue: 0))
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

    /// The user data that a connection owns.
    private final class WeakTarget {
        weak var object: AnyObject?

        init(_ object: AnyObject) {
            self.object = object
        }
    }

    /// Returns the target of a connection by ``GObjectSignals``; `nil` after its release.
    func target<Object: AnyObject>(_ data: gpointer?, as type: Object.Type = Object.self) -> Object? {
        data.flatMap { Unmanaged<WeakTarget>.fromOpaque($0).takeUnretainedValue().object as? Object }
    }

    /// Returns the object in the user data of a C callback. The object must be alive.
    func object<Object: AnyObject>(_ data: gpointer?, as type: Object.Type = Object.self) -> Object? {
        data.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Returns the text of an error and frees the error.
    func message(of error: UnsafeMutablePointer<GError>?) -> String {
        guard let error else { return "unknown error" }
        defer { g_error_free(error) }
        return String(cString: error.pointee.message)
    }

    /// Returns a copy of a string and frees the string.
    func consume(_ string: UnsafeMutablePointer<CChar>?) -> String? {
        guard let string else { return nil }
        defer { g_free(string) }
        return String(cString: string)
    }
#endif
