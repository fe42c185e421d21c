// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import AppleCoreFoundation
public import Foundation

// coregraphics/cgimage
public final class CGImage {
    // coregraphics/cgimage/width
    public var width: Int { 0 }
    // coregraphics/cgimage/height
    public var height: Int { 0 }
}

// coregraphics/cgimagealphainfo
public enum CGImageAlphaInfo: UInt32, Sendable {
    // coregraphics/cgimagealphainfo/premultipliedfirst
    case premultipliedFirst = 2
}

// coregraphics/cgbitmapinfo
public struct CGBitmapInfo: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    // coregraphics/cgbitmapinfo/byteorder32little
    public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
}

// coregraphics/cgcolorspace
public final class CGColorSpace {
    // coregraphics/cgcolorspace/init(name:)
    public init?(name: CFString) {}
    // coregraphics/cgcolorspace/srgb, since iOS 9 and macOS 10.5
    public static var sRGB: CFString { "" }
}

// coregraphics/cgcontext
public final class CGContext {
    // coregraphics/cgcontext/init(data:width:height:bitspercomponent:bytesperrow:space:bitmapinfo:)
    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32
    ) {}
    // coregraphics/cgcontext/data
    public var data: UnsafeMutableRawPointer? { nil }
    // coregraphics/cgcontext/draw(_:in:bytiling:)
    public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {}
    // coregraphics/cgcontext/makeimage()
    public func makeImage() -> CGImage? { nil }
}
