// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The windows of this process, closed, hidden and shown from outside of the adapter.
///
/// GTK is not a module here, as the adapter alone knows it: its functions are found by name.
@MainActor
enum Windows {
    private typealias Listing = @convention(c) () -> UnsafeMutableRawPointer?
    private typealias Calling = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private typealias Getting = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    private typealias Zooming = @convention(c) (UnsafeMutableRawPointer?, Double) -> Void
    private typealias Asking = @convention(c) (UnsafeMutableRawPointer, UInt) -> Int32
    private typealias Naming = @convention(c) () -> UInt
    private typealias Muting = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void
    private typealias Walking =
        @convention(c) (
            UnsafeMutableRawPointer, @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void,
            UnsafeMutableRawPointer
        ) -> Void
    private typealias Watching =
        @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Void

    /// Closes all windows, as a window manager does.
    /// - Parameter destroying: does not ask, as when the display goes.
    static func close(destroying: Bool) throws {
        try each(destroying ? "gtk_widget_destroy" : "gtk_window_close")
    }

    /// Takes all windows from the screen, or puts them back.
    static func show(_ isShown: Bool) throws { try each(isShown ? "gtk_widget_show" : "gtk_widget_hide") }

    /// Zooms and mutes all views, as their host may.
    static func zoomAndMute() throws {
        let zoom: Zooming = try function("webkit_web_view_set_zoom_level")
        let mute: Muting = try function("webkit_web_view_set_is_muted")
        try eachView { view in
            zoom(view, 2)
            mute(view, 1)
        }
    }

    /// The widgets that the engine has within its views, seen until they end.
    static func partsOfViews() throws -> [WeakWidget] {
        let walk: Walking = try function("gtk_container_forall")
        let watch: Watching = try function("g_object_add_weak_pointer")
        let found = Found()
        try eachView { view in
            walk(
                view,
                { widget, data in Unmanaged<Found>.fromOpaque(data).takeUnretainedValue().widgets.append(widget) },
                Unmanaged.passUnretained(found).toOpaque())
        }
        return found.widgets.map { widget in
            let part = WeakWidget(widget)
            watch(widget, part.slot)
            return part
        }
    }

    private final class Found {
        var widgets: [UnsafeMutableRawPointer] = []
    }

    private static func eachView(_ body: (UnsafeMutableRawPointer) -> Void) throws {
        let child: Getting = try function("gtk_bin_get_child")
        let isOfType: Asking = try function("g_type_check_instance_is_a")
        let type: Naming = try function("webkit_web_view_get_type")
        try each { window in
            // GTK has windows of its own.
            guard let view = child(window), isOfType(view, type()) != 0 else { return }
            body(view)
        }
    }

    /// Calls a function with each window.
    private static func each(_ name: String) throws {
        let call: Calling = try function(name)
        try each { call($0) }
    }

    private static func each(_ body: (UnsafeMutableRawPointer?) -> Void) throws {
        let list: Listing = try function("gtk_window_list_toplevels")
        // A GList: the window, and the next element.
        var element = list()
        try expect(element != nil, "no window")
        while let current = element {
            body(current.load(as: UnsafeMutableRawPointer?.self))
            element = current.load(fromByteOffset: 8, as: UnsafeMutableRawPointer?.self)
        }
    }

    private static func function<Function>(_ name: String) throws -> Function {
        guard let symbol = dlsym(nil, name) else { throw CheckFailure(description: "no function \(name)") }
        return unsafeBitCast(symbol, to: Function.self)
    }
}

/// A widget that someone else holds.
@MainActor
final class WeakWidget {
    /// GLib empties it where the widget ends: it stays as long as the process.
    let slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    init(_ widget: UnsafeMutableRawPointer) {
        slot = .allocate(capacity: 1)
        slot.initialize(to: widget)
    }

    var isThere: Bool { slot.pointee != nil }
}
