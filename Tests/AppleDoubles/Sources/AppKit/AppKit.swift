// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_exported public import CoreGraphics
@_exported public import Foundation

// appkit/nsresponder
@MainActor
open class NSResponder: NSObject {}

// appkit/nsview
@MainActor
open class NSView: NSResponder {
    // appkit/nsview/init(frame:)
    public init(frame frameRect: NSRect) {}
    // appkit/nsview/init(coder:)
    public required init?(coder: NSCoder) {}
    // objectivec/nsobject-swift.class/init()
    public override convenience init() { self.init(frame: .zero) }

    // appkit/nsview/frame
    open var frame: NSRect = .zero
    // appkit/nsview/bounds
    open var bounds: NSRect = .zero
    // appkit/nsview/superview
    open var superview: NSView? { nil }
    // appkit/nsview/addsubview(_:)
    open func addSubview(_ view: NSView) {}
    // appkit/nsview/removefromsuperview()
    open func removeFromSuperview() {}
    // appkit/nsview/autoresizingmask-swift.property
    open var autoresizingMask: AutoresizingMask = []

    // appkit/nsview/autoresizingmask-swift.struct
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        // appkit/nsview/autoresizingmask-swift.struct/width
        public static var width: AutoresizingMask { AutoresizingMask(rawValue: 2) }
        // appkit/nsview/autoresizingmask-swift.struct/height
        public static var height: AutoresizingMask { AutoresizingMask(rawValue: 16) }
    }
}

// appkit/nsnib
open class NSNib: NSObject {
    // appkit/nsnib/name
    public typealias Name = String
}

// appkit/nsviewcontroller
@MainActor
open class NSViewController: NSResponder {
    // appkit/nsviewcontroller/init(nibname:bundle:)
    public init(nibName nibNameOrNil: NSNib.Name?, bundle nibBundleOrNil: Bundle?) {}
    // appkit/nsviewcontroller/init(coder:)
    public required init?(coder: NSCoder) {}

    // appkit/nsviewcontroller/view
    open var view = NSView()
    // appkit/nsviewcontroller/loadview()
    open func loadView() {}
}

// appkit/nsapplication
//
// The SDK declares the names with the isolation of the class.
@MainActor
open class NSApplication: NSResponder {
    // appkit/nsapplication/didhidenotification
    public class var didHideNotification: NSNotification.Name { NSNotification.Name("") }
    // appkit/nsapplication/didunhidenotification
    public class var didUnhideNotification: NSNotification.Name { NSNotification.Name("") }
}

// appkit/nsgraphicscontext
open class NSGraphicsContext: NSObject {}

// appkit/nsimagerep
open class NSImageRep: NSObject {
    // appkit/nsimagerep/hintkey
    public struct HintKey: Hashable, Sendable {}
}

// appkit/nsimage, which is not isolated
open class NSImage: NSObject {
    // appkit/nsimage/cgimage(forproposedrect:context:hints:), since macOS 10.6
    open func cgImage(
        forProposedRect proposedDestRect: UnsafeMutablePointer<NSRect>?, context referenceContext: NSGraphicsContext?,
        hints: [NSImageRep.HintKey: Any]?
    ) -> CGImage? { nil }
}
