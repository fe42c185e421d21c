// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(UIKit)
    public import UIKit
#else
    public import AppKit
#endif

// swiftui/view, since iOS 13 and macOS 10.15
@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View

    // swiftui/view/body-8kl5o
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    // Invariant: nothing is run.
    public var body: Never { fatalError() }
}

// swiftui/viewbuilder
@resultBuilder
public enum ViewBuilder {
    // swiftui/viewbuilder/buildexpression(_:)
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    // swiftui/viewbuilder/buildblock(_:)
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
}

#if canImport(UIKit)
    // swiftui/uiviewrepresentablecontext
    @MainActor @preconcurrency
    public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {
        // swiftui/uiviewrepresentablecontext/coordinator
        public let coordinator: Representable.Coordinator
    }

    // swiftui/uiviewrepresentable, since iOS 13
    @MainActor @preconcurrency
    public protocol UIViewRepresentable: View where Body == Never {
        associatedtype UIViewType: UIView
        associatedtype Coordinator = Void
        typealias Context = UIViewRepresentableContext<Self>

        // swiftui/uiviewrepresentable/makeuiview(context:)
        func makeUIView(context: Context) -> UIViewType
        // swiftui/uiviewrepresentable/updateuiview(_:context:)
        func updateUIView(_ uiView: UIViewType, context: Context)
    }

    extension UIViewRepresentable {
        // Invariant: nothing is run.
        public var body: Never { fatalError() }
    }
#else
    // swiftui/nsviewrepresentablecontext
    @MainActor @preconcurrency
    public struct NSViewRepresentableContext<Representable: NSViewRepresentable> {
        // swiftui/nsviewrepresentablecontext/coordinator
        public let coordinator: Representable.Coordinator
    }

    // swiftui/nsviewrepresentable, since macOS 10.15
    @MainActor @preconcurrency
    public protocol NSViewRepresentable: View where Body == Never {
        associatedtype NSViewType: NSView
        associatedtype Coordinator = Void
        typealias Context = NSViewRepresentableContext<Self>

        // swiftui/nsviewrepresentable/makensview(context:)
        func makeNSView(context: Context) -> NSViewType
        // swiftui/nsviewrepresentable/updatensview(_:context:)
        func updateNSView(_ nsView: NSViewType, context: Context)
    }

    extension NSViewRepresentable {
        // Invariant: nothing is run.
        public var body: Never { fatalError() }
    }
#endif
