// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The declarations of Core Foundation that Apple's Foundation exports and that the Foundation of Linux lacks.

public import Foundation

// The classes of Foundation to which Apple's compiler converts these classes without a cast. Values of Swift convert to
// both by `as` alone.
public typealias CFArray = NSArray
public typealias CFData = NSData
public typealias CFDictionary = NSDictionary
public typealias CFMutableData = NSMutableData
public typealias CFString = NSString
public typealias CFURL = NSURL

// corefoundation/cfallocator
public final class CFAllocator {}

// corefoundation/cfrunloop
public final class CFRunLoop {}

// corefoundation/cfrunloopmode
//
// Invariant: nothing is run.
public struct CFRunLoopMode: RawRepresentable, Hashable, @unchecked Sendable {
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
