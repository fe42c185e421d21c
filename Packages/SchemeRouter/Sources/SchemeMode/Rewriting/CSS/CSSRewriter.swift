// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// A streaming rewriter that replaces the covered URLs of a style sheet with custom-scheme URLs. All other bytes are
/// unchanged.
///
/// It buffers at most the current piece and one URL of up to 16 KiB, and at the beginning a `@charset` rule.
@_spi(Fuzzing) public struct CSSRewriter: TextRewriting {
    private let context: RewritingContext
    private var scanner: CSSScanner
    private var buffer = EditedBuffer()
    /// The beginning of the text; `nil` after the charset is known.
    private var start: TextStart? = TextStart()
    /// A Boolean value that indicates whether the charset is not ASCII-compatible.
    private var isOpaque = false

    /// Creates a rewriter for a style sheet.
    public init(_ context: RewritingContext) {
        self.context = context
        scanner = CSSScanner(context)
    }

    public mutating func feed(_ piece: Data) -> Data {
        append(piece, isLast: false)
    }

    public mutating func finish() -> Data {
        append(Data(), isLast: true)
    }

    private mutating func append(_ piece: Data, isLast: Bool) -> Data {
        var piece = piece
        if start != nil {
            guard let (text, word) = start?.append(piece, isLast: isLast) else { return Data() }
            start = nil
            piece = text
            decide(by: word)
        }
        if isOpaque { return piece }
        return buffer.append(piece, isLast: isLast) { scanner.scan($0, isLast: isLast, into: &$1) }
    }

    private mutating func decide(by word: TextStart.Declaration) {
        var charset: TextCharset
        switch word {
        case .mark: charset = .utf8
        case _ where context.hasCharset: return
        case .rule(let label): charset = label
        case .none:
            charset = context.environment ?? (context.hasTwoByteLetters ? .twoByte : .ascii)
            // The charset of a UTF-16 document does not apply: a UTF-16 style sheet has its own byte order mark.
            if charset == .opaque { charset = .ascii }
        }
        isOpaque = charset == .opaque
        var context = context
        context.hasTwoByteLetters = charset == .twoByte
        context.isUTF8 = charset == .utf8
        scanner = CSSScanner(context)
    }
}
