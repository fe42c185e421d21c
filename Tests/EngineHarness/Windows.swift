// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// Functions that close, hide and show the windows of this process from outside the adapter.
///
/// The functions of GTK are looked up by name, because only the adapter imports GTK as a module.
@MainActor
enum Windows {
    private typealias Listing = @convention(c) () -> UnsafeMutableRawPointer?
    private typealias Calling = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private typealias Getting = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    private typealias Zooming = @convention(c) (UnsafeMutableRawPointer?, Double) -> Void
    private typealias Asking = @convention(c) (UnsafeMutableRawPointer, UInt) -> Int32
    private typealias Naming = @convention(c) () -> UInt
    private typealias Counting = @convention(c) (UnsafeMutableRawPointer?) -> UInt32
    private typealias Indexing = @convention(c) (UnsafeMutableRawPointer?, Int32) -> UnsafeMutableRawPointer?
    private typealias Reading = @convention(c) (UnsafeMutableRawPointer?) -> UnsafePointer<CChar>?
    private typealias Muting = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void
    private typealias Walking =
        @convention(c) (
            UnsafeMutableRawPointer, @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void,
            UnsafeMutableRawPointer
        ) -> Void
    private typealias Watching =
        @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Void

    /// Closes all windows like a window manager.
    /// - Parameter destroying: A Boolean value that indicates whether the windows are destroyed without a request, as
    ///   when the display closes.
    static func close(destroying: Bool) throws {
        try each(destroying ? "gtk_widget_destroy" : "gtk_window_close")
    }

    /// Shows or hides all windows.
    static func show(_ isShown: Bool) throws { try each(isShown ? "gtk_widget_show" : "gtk_widget_hide") }

    /// Changes the zoom level and mutes all views, as a host may do.
    static func zoomAndMute() throws {
        let zoom: Zooming = try function("webkit_web_view_set_zoom_level")
        let mute: Muting = try function("webkit_web_view_set_is_muted")
        try eachView { view in
            zoom(view, 2)
            mute(view, 1)
        }
    }

    /// The history of a view.
    struct History: Equatable {
        /// The URLs of the entries, oldest first.
        var urls: [String]
        /// The index of the current entry.
        let current: Int
    }

    /// Returns the histories of the views that have entries.
    static func histories() throws -> [History] {
        let list: Getting = try function("webkit_web_view_get_back_forward_list")
        let count: Counting = try function("webkit_back_forward_list_get_length")
        let item: Indexing = try function("webkit_back_forward_list_get_nth_item")
        let url: Reading = try function("webkit_back_forward_list_item_get_uri")
        var histories: [History] = []
        try eachView { view in
            let entries = list(view)
            // The current entry has the index 0.
            let limit = Int32(count(entries))
            let urls = { (range: ClosedRange<Int32>) in
                range.compactMap { item(entries, $0) }.map { entry in url(entry).map { String(cString: $0) } ?? "" }
            }
            guard limit > 0 else { return }
            let earlier = urls(-limit ... -1)
            histories.append(History(urls: earlier + urls(0...limit), current: earlier.count))
        }
        return histories
    }

    /// Returns weak references to the engine's widgets inside its views.
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
            // GTK has additional windows.
            guard let view = child(window), isOfType(view, type()) != 0 else { return }
            body(view)
        }
    }

    /// Calls the GTK function with the given name for each window.
    private static func each(_ name: String) throws {
        let call: Calling = try function(name)
        try each { call($0) }
    }

    private static func each(_ body: (UnsafeMutableRawPointer?) -> Void) throws {
        let list: Listing = try function("gtk_window_list_toplevels")
        // A GList: the window and the next element.
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

/// A weak reference to a widget.
@MainActor
final class WeakWidget {
    /// The location that GLib sets to null when the widget is destroyed. It is never freed.
    let slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    init(_ widget: UnsafeMutableRawPointer) {
        slot = .allocate(capacity: 1)
        slot.initialize(to: widget)
    }

    var isThere: Bool { slot.pointee != nil }
}
