// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    /// Connections of objects of this house to the signals of one GObject.
    ///
    /// The C side knows a target weakly: one whose last reference went on another thread is torn down a turn later, and
    /// a signal that comes between finds nobody.
    @MainActor
    final class GObjectSignals {
        private let instance: gpointer
        private var handlers: [gulong] = []

        /// - Parameter instance: an instance of GObject, which this object keeps alive.
        init(of instance: gpointer) {
            self.instance = g_object_ref(instance)
        }

        func connect(_ signal: String, _ callback: GCallback, to target: AnyObject) {
            handlers.append(Self.connect(instance, signal, callback, to: target))
        }

        /// Connects an instance that its owner keeps alive; the caller disconnects it.
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

    /// What a signal's connection owns.
    private final class WeakTarget {
        weak let object: AnyObject?

        init(_ object: AnyObject) {
            self.object = object
        }
    }

    /// The target of a connection made by ``GObjectSignals``; `nil` once it is gone.
    func target<Object: AnyObject>(_ data: gpointer?, as type: Object.Type = Object.self) -> Object? {
        data.flatMap { Unmanaged<WeakTarget>.fromOpaque($0).takeUnretainedValue().object as? Object }
    }

    /// The object itself behind the user data of a C callback, which must be alive.
    func object<Object: AnyObject>(_ data: gpointer?, as type: Object.Type = Object.self) -> Object? {
        data.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Takes the text of an error and frees it.
    func message(of error: UnsafeMutablePointer<GError>?) -> String {
        guard let error else { return "unknown error" }
        defer { g_error_free(error) }
        return String(cString: error.pointee.message)
    }

    /// Takes a string that the caller must free.
    func consume(_ string: UnsafeMutablePointer<CChar>?) -> String? {
        guard let string else { return nil }
        defer { g_free(string) }
        return String(cString: string)
    }
#endif
