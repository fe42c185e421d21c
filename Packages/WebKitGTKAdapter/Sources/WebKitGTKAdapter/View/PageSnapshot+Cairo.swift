// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation

    extension PageSnapshot {
        /// Creates a snapshot by copying a surface of the engine.
        init(_ surface: OpaquePointer) throws {
            let width = Int(cairo_image_surface_get_width(surface))
            let height = Int(cairo_image_surface_get_height(surface))
            let stride = Int(cairo_image_surface_get_stride(surface))
            cairo_surface_flush(surface)
            guard width > 0, height > 0, let bytes = cairo_image_surface_get_data(surface) else {
                throw EngineError(.snapshot, "the view has no content")
            }
            var pixels = Data(capacity: width * height * 4)
            for row in 0..<height {
                pixels.append(bytes + row * stride, count: width * 4)
            }
            self.init(width: width, height: height, pixels: pixels, png: try Self.pngFile(of: surface))
        }

        private static func pngFile(of surface: OpaquePointer) throws -> Data {
            let sink = Sink()
            let status = cairo_surface_write_to_png_stream(
                surface,
                { sink, bytes, count in
                    guard let bytes, let sink: Sink = object(sink) else { return CAIRO_STATUS_WRITE_ERROR }
                    sink.file.append(bytes, count: Int(count))
                    return CAIRO_STATUS_SUCCESS
                }, Unmanaged.passUnretained(sink).toOpaque())
            guard status == CAIRO_STATUS_SUCCESS else {
                throw EngineError(.snapshot, String(cString: cairo_status_to_string(status)))
            }
            return sink.file
        }

        private final class Sink {
            var file = Data()
        }
    }
#endif
