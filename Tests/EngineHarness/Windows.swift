// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The windows of this process, closed from outside of the adapter.
///
/// GTK is not a module here, as the adapter alone knows it: its functions are found by name.
@MainActor
enum Windows {
    private typealias Listing = @convention(c) () -> UnsafeMutableRawPointer?
    private typealias Closing = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// Closes all windows, as a window manager does.
    /// - Parameter destroying: does not ask, as when the display goes.
    static func close(destroying: Bool) throws {
        let list: Listing = try function("gtk_window_list_toplevels")
        let close: Closing = try function(destroying ? "gtk_widget_destroy" : "gtk_window_close")
        // A GList: the window, and the next element.
        var element = list()
        try expect(element != nil, "no window")
        while let current = element {
            close(current.load(as: UnsafeMutableRawPointer?.self))
            element = current.load(fromByteOffset: 8, as: UnsafeMutableRawPointer?.self)
        }
    }

    private static func function<Function>(_ name: String) throws -> Function {
        guard let symbol = dlsym(nil, name) else { throw CheckFailure(description: "no function \(name)") }
        return unsafeBitCast(symbol, to: Function.self)
    }
}
