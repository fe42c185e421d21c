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

    /// Closes all windows, as a window manager does.
    /// - Parameter destroying: does not ask, as when the display goes.
    static func close(destroying: Bool) throws {
        try each(destroying ? "gtk_widget_destroy" : "gtk_window_close")
    }

    /// Takes all windows from the screen, or puts them back.
    static func show(_ isShown: Bool) throws { try each(isShown ? "gtk_widget_show" : "gtk_widget_hide") }

    /// Zooms and mutes all views, as their host may.
    static func zoomAndMute() throws {
        let child: Getting = try function("gtk_bin_get_child")
        let zoom: Zooming = try function("webkit_web_view_set_zoom_level")
        let mute: Muting = try function("webkit_web_view_set_is_muted")
        let isOfType: Asking = try function("g_type_check_instance_is_a")
        let type: Naming = try function("webkit_web_view_get_type")
        try each { window in
            // GTK has windows of its own.
            guard let view = child(window), isOfType(view, type()) != 0 else { return }
            zoom(view, 2)
            mute(view, 1)
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
