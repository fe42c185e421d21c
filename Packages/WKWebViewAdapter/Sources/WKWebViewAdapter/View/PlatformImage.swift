// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Never run on Linux, which has neither UIKit nor AppKit; Scripts/check-darwin type-checks it. Limits and errors are in
// WKWebViewView+Snapshots.swift.

#if canImport(WebKit) && (canImport(UIKit) || canImport(AppKit))
    internal import CoreGraphics
    internal import Foundation
    internal import ImageIO

    #if canImport(UIKit)
        internal import UIKit

        typealias PlatformImage = UIImage
    #else
        internal import AppKit

        typealias PlatformImage = NSImage
    #endif

    extension PlatformImage {
        private var bitmap: CGImage? {
            #if canImport(UIKit)
                cgImage
            #else
                cgImage(forProposedRect: nil, context: nil, hints: nil)
            #endif
        }

        /// The width and the height in pixels; 0 if the picture is no bitmap.
        var pixelSize: (width: Int, height: Int) { bitmap.map { ($0.width, $0.height) } ?? (0, 0) }

        /// Returns the picture in another size: its bytes blue, green, red, alpha in rows from the top, and a PNG file.
        func rendered(width: Int, height: Int) -> (pixels: Data, png: Data)? {
            let layout = CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue
            guard let bitmap, let space = CGColorSpace(name: CGColorSpace.sRGB),
                let context = CGContext(
                    data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: width * 4, space: space,
                    bitmapInfo: layout)
            else { return nil }
            context.draw(bitmap, in: CGRect(x: 0, y: 0, width: width, height: height))
            let file = NSMutableData()
            guard let bytes = context.data, let scaled = context.makeImage(),
                let destination = CGImageDestinationCreateWithData(file, "public.png" as CFString, 1, nil)
            else { return nil }
            CGImageDestinationAddImage(destination, scaled, nil)
            guard CGImageDestinationFinalize(destination) else { return nil }
            return (Data(bytes: bytes, count: width * height * 4), file as Data)
        }
    }
#endif
