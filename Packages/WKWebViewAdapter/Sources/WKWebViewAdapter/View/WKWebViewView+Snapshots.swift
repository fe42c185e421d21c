// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    public import WebEngine
    internal import WebKit

    extension WKWebViewView: ViewSnapshots {
        /// The maximum width and height in points of a view with snapshots. WebKit draws the whole view, with up to
        /// nine pixels for each square point, before the size of the picture is known.
        static let maxSnapshotSide = CGFloat(8_192)

        /// Returns a picture of the visible part of the page in pixels of the screen, of which a point has several. A
        /// picture of more than 4 million pixels is scaled down. The picture includes pending changes of the page, so
        /// that WebKit does not return it while the web process is busy.
        /// - Throws: `EngineError` with code `snapshot` if WebKit has no picture, or if the view has no size or a side
        ///   of more than 8,192 points; `pageGone` if another document replaces the document; `processEnded`.
        public func snapshot() async throws -> PageSnapshot {
            let web = try requireLife()
            let size = web.bounds.size
            guard size.width >= 1, size.height >= 1 else { throw EngineError(.snapshot, "the view has no size") }
            guard max(size.width, size.height) <= Self.maxSnapshotSide else {
                throw EngineError(.snapshot, "the view is larger than \(Int(Self.maxSnapshotSide)) points")
            }
            let result = SnapshotResult()
            defer { result.isAwaited = false }
            _ = try await scriptCalls.run { end in
                web.takeSnapshot(with: nil) { picture, error in
                    // A picture that arrives after the end of the page or the view is not converted.
                    guard result.isAwaited else { return }
                    end(
                        Result {
                            result.snapshot = try PageSnapshot(picture, error)
                            return ""
                        })
                }
            }
            guard let snapshot = result.snapshot else { throw EngineError(.snapshot, "no picture") }
            return snapshot
        }
    }

    /// The result of one call of WebKit.
    @MainActor
    private final class SnapshotResult {
        var isAwaited = true
        var snapshot: PageSnapshot?
    }

    extension PageSnapshot {
        /// The maximum number of pixels of a snapshot, whose bytes are 16 MB.
        static let maxPixels = 4 << 20

        /// Converts the result of WebKit.
        /// - Throws: `EngineError` with code `snapshot`, or `processEnded` if the error is the end of the process.
        @MainActor
        fileprivate init(_ picture: PlatformImage?, _ error: (any Error)?) throws {
            switch (error as? WKError)?.code {
            case .webContentProcessTerminated, .webViewInvalidated: throw EngineError.viewEnded
            default: break
            }
            guard let picture, error == nil else {
                throw EngineError(.snapshot, Self.line(error?.localizedDescription ?? "the engine returned no picture"))
            }
            guard let size = Self.size(fitting: picture.pixelSize) else {
                throw EngineError(.snapshot, "the picture has no pixels")
            }
            guard let (pixels, png) = picture.rendered(width: size.width, height: size.height),
                pixels.count == size.width * size.height * 4, !png.isEmpty
            else { throw EngineError(.snapshot, "the picture cannot be converted") }
            self.init(width: size.width, height: size.height, pixels: pixels, png: png)
        }

        /// Returns the size of a picture after it is scaled down to at most ``maxPixels``, with its proportions as far
        /// as whole pixels permit; `nil` if the picture has no pixels.
        static func size(fitting size: (width: Int, height: Int)) -> (width: Int, height: Int)? {
            guard size.width > 0, size.height > 0 else { return nil }
            let (count, overflows) = size.width.multipliedReportingOverflow(by: size.height)
            guard overflows || count > maxPixels else { return size }
            let scale = (Double(maxPixels) / Double(size.width) / Double(size.height)).squareRoot()
            let width = max(1, Int(Double(min(size.width, size.height)) * scale))
            // The shorter side may have been rounded up to one pixel.
            let height = min(maxPixels / width, Int(Double(max(size.width, size.height)) * scale))
            return size.width <= size.height ? (width, height) : (height, width)
        }

        private static func line(_ message: String) -> String {
            message.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
    }
#endif
