// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_exported public import CoreGraphics
@_exported public import Foundation

// uikit/uiresponder
@MainActor
open class UIResponder: NSObject {}

// uikit/uiview
@MainActor
open class UIView: UIResponder {
    // uikit/uiview/init(frame:)
    public init(frame: CGRect) {}
    // uikit/uiview/init(coder:)
    public required init?(coder: NSCoder) {}
    // objectivec/nsobject-swift.class/init()
    public override convenience init() { self.init(frame: .zero) }

    // uikit/uiview/frame
    open var frame: CGRect = .zero
    // uikit/uiview/bounds
    open var bounds: CGRect = .zero
    // uikit/uiview/superview
    open var superview: UIView? { nil }
    // uikit/uiview/addsubview(_:)
    open func addSubview(_ view: UIView) {}
    // uikit/uiview/removefromsuperview()
    open func removeFromSuperview() {}
    // uikit/uiview/autoresizingmask-swift.property
    open var autoresizingMask: AutoresizingMask = []

    // uikit/uiview/autoresizingmask-swift.struct
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        // uikit/uiview/autoresizingmask-swift.struct/flexiblewidth
        public static var flexibleWidth: AutoresizingMask { AutoresizingMask(rawValue: 1 << 1) }
        // uikit/uiview/autoresizingmask-swift.struct/flexibleheight
        public static var flexibleHeight: AutoresizingMask { AutoresizingMask(rawValue: 1 << 4) }
    }
}

// uikit/uiviewcontroller
@MainActor
open class UIViewController: UIResponder {
    // uikit/uiviewcontroller/init(nibname:bundle:)
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {}
    // uikit/uiviewcontroller/init(coder:)
    public required init?(coder: NSCoder) {}

    // uikit/uiviewcontroller/view
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var view: UIView!
    // uikit/uiviewcontroller/loadview()
    open func loadView() {}
}

// uikit/uiapplication
//
// The newer SDKs declare the names `nonisolated`; the isolation of the class is the stricter one.
@MainActor
open class UIApplication: UIResponder {
    // uikit/uiapplication/didenterbackgroundnotification, since iOS 4
    public class var didEnterBackgroundNotification: NSNotification.Name { NSNotification.Name("") }
    // uikit/uiapplication/willenterforegroundnotification, since iOS 4
    public class var willEnterForegroundNotification: NSNotification.Name { NSNotification.Name("") }
    // uikit/uiapplication/didreceivememorywarningnotification
    public class var didReceiveMemoryWarningNotification: NSNotification.Name { NSNotification.Name("") }
}

// uikit/uiimage, which is not isolated
//
// Invariant: nothing is run.
open class UIImage: NSObject, @unchecked Sendable {
    // uikit/uiimage/cgimage
    open var cgImage: CGImage? { nil }
}
