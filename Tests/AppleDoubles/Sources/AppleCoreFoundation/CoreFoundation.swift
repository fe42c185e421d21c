// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The declarations of Core Foundation that Apple's Foundation exports and that the Foundation of Linux lacks.

public import Foundation

// On Apple's systems these are classes, to which arrays, data and strings convert by `as`. On Linux nothing converts
// to a class, so that they are the types themselves.
public typealias CFArray = [Any]
public typealias CFData = Data
public typealias CFString = String

// corefoundation/cfallocator
public final class CFAllocator {}

// corefoundation/cfrunloop
public final class CFRunLoop {}

// corefoundation/cfrunloopmode
public struct CFRunLoopMode: RawRepresentable, Hashable, Sendable {
    public let rawValue: CFString
    public init(rawValue: CFString) { self.rawValue = rawValue }

    // corefoundation/cfrunloopmode/commonmodes
    public static let commonModes = CFRunLoopMode(rawValue: "")
}

// corefoundation/cfrunloopgetcurrent()
public func CFRunLoopGetCurrent() -> CFRunLoop! { nil }

// corefoundation/cfrunloopcopycurrentmode(_:)
public func CFRunLoopCopyCurrentMode(_ rl: CFRunLoop!) -> CFRunLoopMode! { nil }

// corefoundation/cfrunloopperformblock(_:_:_:), whose mode is a CFTypeRef
public func CFRunLoopPerformBlock(_ rl: CFRunLoop!, _ mode: Any!, _ block: (() -> Void)!) {}

// corefoundation/cfrunloopwakeup(_:)
public func CFRunLoopWakeUp(_ rl: CFRunLoop!) {}
