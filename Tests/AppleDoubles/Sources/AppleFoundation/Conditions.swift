// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The power mode of ProcessInfo, and the memory pressure of Dispatch, which Linux lacks.

public import Dispatch
public import Foundation

extension ProcessInfo {
    // foundation/processinfo/islowpowermodeenabled
    public var isLowPowerModeEnabled: Bool { false }
}

extension Notification.Name {
    // foundation/nsnotification/name-swift.struct/nsprocessinfopowerstatedidchange
    public static let NSProcessInfoPowerStateDidChange = Notification.Name("")
}

extension DispatchSource {
    // dispatch/dispatchsource/memorypressureevent
    public struct MemoryPressureEvent: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let normal = MemoryPressureEvent(rawValue: 1)
        public static let warning = MemoryPressureEvent(rawValue: 2)
        public static let critical = MemoryPressureEvent(rawValue: 4)
        public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
    }

    // dispatch/dispatchsource/makememorypressuresource(eventmask:queue:)
    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure {
        preconditionFailure("the double is type-checked only")
    }
}

// dispatch/dispatchsourcememorypressure
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {
    // dispatch/dispatchsourcememorypressure/data
    var data: DispatchSource.MemoryPressureEvent { get }
    // dispatch/dispatchsourcememorypressure/mask
    var mask: DispatchSource.MemoryPressureEvent { get }
}
