// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
@_spi(Testing) import ZlibStreams

/// An encoder of zlib formats.
enum Deflate {
    static func encode(_ data: Data, as format: ZlibFormat) throws -> Data {
        try Data(data.withUnsafeBytes { try ZlibDeflater.deflate($0, as: format) })
    }
}
