// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Gives the covered URLs of a style sheet their names while it arrives. Every other byte stays.
///
/// Holds back at most a URL of 16 KiB, and what has just arrived.
public struct CSSRewriter: TextRewriting {
    private var scanner: CSSScanner
    private var buffer = EditedBuffer()

    public init(_ context: RewritingContext) {
        scanner = CSSScanner(context)
    }

    public mutating func feed(_ piece: Data) -> Data {
        buffer.append(piece, isLast: false) { scanner.scan($0, isLast: false, into: &$1) }
    }

    public mutating func finish() -> Data {
        buffer.append(Data(), isLast: true) { scanner.scan($0, isLast: true, into: &$1) }
    }
}
