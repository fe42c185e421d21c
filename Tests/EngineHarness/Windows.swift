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

    /// Closes all windows, as a window manager does.
    /// - Parameter destroying: does not ask, as when the display goes.
    static func close(destroying: Bool) throws {
        try each(destroying ? "gtk_widget_destroy" : "gtk_window_close")
    }

    /// Takes all windows from the screen, or puts them back.
    static func show(_ isShown: Bool) throws { try each(isShown ? "gtk_widget_show" : "gtk_widget_hide") }

    /// Calls a function with each window.
    private static func each(_ name: String) throws {
        let list: Listing = try function("gtk_window_list_toplevels")
        let call: Calling = try function(name)
        // A GList: the window, and the next element.
        var element = list()
        try expect(element != nil, "no window")
        while let current = element {
            call(current.load(as: UnsafeMutableRawPointer?.self))
            element = current.load(fromByteOffset: 8, as: UnsafeMutableRawPointer?.self)
        }
    }

    private static func function<Function>(_ name: String) throws -> Function {
        guard let symbol = dlsym(nil, name) else { throw CheckFailure(description: "no function \(name)") }
        return unsafeBitCast(symbol, to: Function.self)
    }
}
