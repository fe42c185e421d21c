// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// A scanner that finds the URLs of a style sheet with the tokenizer of CSS Syntax Level 3 (section 4). It processes
/// bytes of an ASCII-compatible charset in pieces of any size.
///
/// URLs are `url()` in all spellings, `src("…")`, and the strings of `image-set()` and `@import`. The URL of
/// `@namespace` is an identifier that is not loaded; it is unchanged, like comments and all other strings.
struct CSSScanner {
    /// The unfinished construct.
    private enum State: Equatable {
        case top
        case comment
        /// A name that is too long to be significant.
        case name
        case string(quote: UInt8, isURL: Bool)
        /// After `url(` and before its content.
        case urlStart
        case url(isURL: Bool)
        case badURL
    }

    /// The kind of an open bracket.
    private enum Frame {
        case round, square, curly
        /// `url(` or `src(` with a string, or `image-set(`, whose strings are URLs.
        case urls

        var closing: UInt8 {
            switch self {
            case .round, .urls: UInt8(ascii: ")")
            case .square: UInt8(ascii: "]")
            case .curly: UInt8(ascii: "}")
            }
        }
    }

    /// The maximum length of a URL in bytes. Longer URLs are unchanged and not buffered.
    private static let maxURLBytes = 16 << 10
    /// The maximum length of a significant name in bytes: `-webkit-image-set` with all characters escaped.
    private static let maxNameBytes = 256
    private static let maxDepth = 256

    private let context: RewritingContext
    private var state = State.top
    private var frames: [Frame] = []
    private var surplusDepth = 0
    private var isAfterImport = false
    private var isInNamespace = false
    /// The number of buffered bytes that were already scanned.
    private var scanned = 0

    init(_ context: RewritingContext) {
        self.context = context
    }

    /// Returns all edits of a complete text.
    static func edits(of bytes: [UInt8], in context: RewritingContext) -> [ByteEdit] {
        var scanner = CSSScanner(context)
        var edits: [ByteEdit] = []
        _ = bytes.withUnsafeBufferPointer { scanner.scan($0, isLast: true, into: &edits) }
        return edits
    }

    /// Scans more bytes.
    /// - Parameters:
    ///   - bytes: The bytes that were held back in the previous call, followed by new bytes.
    ///   - isLast: A Boolean value that indicates whether the text ends here.
    ///   - edits: The array that receives the edits, with offsets in `bytes`.
    /// - Returns: The number of bytes that are finished; the others are held back.
    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, into edits: inout [ByteEdit]) -> Int {
        var index = scanned
        // The start of an unfinished URL.
        var held = isHolding ? 0 : nil as Int?
        scanning: while index < bytes.count {
            switch state {
            case .top:
                guard let next = top(bytes, index, isLast: isLast) else { break scanning }
                index = next
                held = index
            case .comment:
                while index < bytes.count, bytes[index] != UInt8(ascii: "*") { index += 1 }
                guard index < bytes.count else { break }
                if index + 1 == bytes.count, !isLast { break scanning }
                if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "/") {
                    state = .top
                    index += 1
                }
                index += 1
            case .name:
                let (end, isOver) = name(bytes, index, isLast: isLast)
                if isOver { state = .top }
                guard isOver || end > index else { break scanning }
                index = end
            case .string(let quote, let isURL):
                let byte = bytes[index]
                if byte == quote {
                    if isURL, let held { add(bytes[held..<index], at: held, to: &edits) }
                    state = .top
                    index += 1
                } else if byte == UInt8(ascii: "\\") {
                    guard let next = CSSEscapes.end(of: bytes, at: index, isLast: isLast) else { break scanning }
                    index = next
                } else if Self.isNewline(byte) {
                    state = .top
                } else {
                    let step = letter(bytes, index, isLast: isLast)
                    guard step > 0 else { break scanning }
                    index += step
                }
            case .urlStart:
                if bytes[index].isASCIIWhitespace {
                    index += 1
                } else if "\"'".utf8.contains(bytes[index]) {
                    open(isInNamespace ? .round : .urls)
                    state = .top
                } else {
                    state = .url(isURL: !isInNamespace)
                    held = index
                }
            case .url(let isURL):
                guard let next = url(bytes, index, from: isURL ? held : nil, isLast: isLast, into: &edits) else {
                    break scanning
                }
                index = next
            case .badURL:
                if bytes[index] == UInt8(ascii: "\\") {
                    guard let next = CSSEscapes.end(of: bytes, at: index, isLast: isLast) else { break scanning }
                    index = next
                } else {
                    let step = letter(bytes, index, isLast: isLast)
                    guard step > 0 else { break scanning }
                    if bytes[index] == UInt8(ascii: ")") { state = .top }
                    index += step
                }
            }
        }
        return finish(bytes, index, held: held, isLast: isLast, into: &edits)
    }

    /// A Boolean value that indicates whether a URL is unfinished.
    private var isHolding: Bool {
        switch state {
        case .string(_, true), .url(true): true
        default: false
        }
    }

    /// Returns the number of finished bytes; the others are held back.
    private mutating func finish(
        _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, held: Int?, isLast: Bool, into edits: inout [ByteEdit]
    ) -> Int {
        scanned = 0
        guard isHolding, let held else { return isLast ? bytes.count : index }
        if isLast {
            // The end of the text closes all open constructs (section 4.3.5).
            add(bytes[held...], at: held, to: &edits)
            return bytes.count
        }
        guard index - held <= Self.maxURLBytes else {
            switch state {
            case .string(let quote, _): state = .string(quote: quote, isURL: false)
            default: state = .url(isURL: false)
            }
            return index
        }
        scanned = index - held
        return held
    }

    // MARK: Tokens

    /// Reads one token or its beginning.
    /// - Returns: The next index; `nil` if more bytes are required.
    private mutating func top(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, isLast: Bool) -> Int? {
        let byte = bytes[index]
        let next = index + 1 < bytes.count ? bytes[index + 1] : nil
        let hasEnough = index + 2 < bytes.count || isLast
        if byte.isASCIIWhitespace { return index + 1 }
        switch byte {
        case UInt8(ascii: "/"):
            guard hasEnough else { return nil }
            if next == UInt8(ascii: "*") {
                state = .comment
                return index + 2
            }
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let isURL = !isInNamespace && (isAfterImport || frames.last == .urls && surplusDepth == 0)
            isAfterImport = false
            state = .string(quote: byte, isURL: isURL)
            return index + 1
        case UInt8(ascii: "@"), UInt8(ascii: "#"):
            guard hasEnough else { return nil }
            let (end, isOver) = name(bytes, index + 1, isLast: isLast)
            guard isOver else { return longName(from: index, to: end) }
            isAfterImport = false
            if byte == UInt8(ascii: "@") {
                let keyword = unescaped(bytes[(index + 1)..<end])
                isAfterImport = keyword.equalsIgnoringCase("import")
                isInNamespace = keyword.equalsIgnoringCase("namespace")
            }
            return end
        case UInt8(ascii: "("): open(.round)
        case UInt8(ascii: "["): open(.square)
        case UInt8(ascii: "{"):
            isInNamespace = false
            open(.curly)
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): close(byte)
        case UInt8(ascii: ";"): isInNamespace = false
        default:
            guard hasEnough else { return nil }
            if startsNumber(bytes, index) { return number(bytes, index, isLast: isLast) }
            if startsName(bytes, index) { return nameOrFunction(bytes, index, isLast: isLast) }
        }
        isAfterImport = false
        return index + 1
    }

    private mutating func nameOrFunction(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, isLast: Bool
    ) -> Int? {
        let (end, isOver) = name(bytes, start, isLast: isLast)
        guard isOver else { return longName(from: start, to: end) }
        isAfterImport = false
        guard end < bytes.count, bytes[end] == UInt8(ascii: "(") else { return end }
        let function = unescaped(bytes[start..<end])
        if function.equalsIgnoringCase("url") {
            state = .urlStart
        } else if function.equalsIgnoringCase("src") || function.equalsIgnoringCase("image-set")
            || function.equalsIgnoringCase("-webkit-image-set")
        {
            open(.urls)
        } else {
            open(.round)
        }
        return end + 1
    }

    /// Reads a number with its unit. The unit is never a function name (section 4.3.3).
    private mutating func number(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, isLast: Bool) -> Int? {
        let at = { (index: Int) in index < bytes.count ? bytes[index] : UInt8(ascii: " ") }
        var end = "+-".utf8.contains(bytes[start]) ? start + 1 : start
        while at(end).isASCIIDigit { end += 1 }
        if at(end) == UInt8(ascii: "."), at(end + 1).isASCIIDigit {
            end += 1
            while at(end).isASCIIDigit { end += 1 }
        }
        if at(end) | 0x20 == UInt8(ascii: "e") {
            let first = "+-".utf8.contains(at(end + 1)) ? end + 2 : end + 1
            if at(first).isASCIIDigit {
                end = first
                while at(end).isASCIIDigit { end += 1 }
            }
        }
        isAfterImport = false
        guard end + 3 <= bytes.count || isLast else { return longName(from: start, to: end) }
        guard startsName(bytes, end) else { return end }
        let (unitEnd, isOver) = name(bytes, end, isLast: isLast)
        return isOver ? unitEnd : longName(from: start, to: unitEnd)
    }

    /// Handles an unfinished name: more bytes are required, unless the name is too long to be significant.
    private mutating func longName(from start: Int, to end: Int) -> Int? {
        guard end - start > Self.maxNameBytes else { return nil }
        isAfterImport = false
        state = .name
        return end
    }

    /// Reads the content of `url(` (section 4.3.6).
    private mutating func url(
        _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, from held: Int?, isLast: Bool, into edits: inout [ByteEdit]
    ) -> Int? {
        let byte = bytes[index]
        if byte == UInt8(ascii: ")") {
            if let held { add(bytes[held..<index], at: held, to: &edits) }
            state = .top
            return index + 1
        }
        if byte == UInt8(ascii: "\\") {
            guard let next = CSSEscapes.end(of: bytes, at: index, isLast: isLast) else { return nil }
            if Self.isNewline(bytes[min(index + 1, bytes.count - 1)]) { state = .badURL }
            return next
        }
        if byte.isASCIIWhitespace {
            // Only the closing bracket may follow.
            var end = index
            while end < bytes.count, bytes[end].isASCIIWhitespace { end += 1 }
            guard end < bytes.count else { return isLast ? end : end - index > Self.maxURLBytes ? end : nil }
            if bytes[end] != UInt8(ascii: ")") { state = .badURL }
            return end
        }
        let isNonPrintable = byte < 0x09 || byte == 0x0B || (0x0E..<0x20).contains(byte) || byte == 0x7F
        if isNonPrintable || "\"'(".utf8.contains(byte) { state = .badURL }
        let step = letter(bytes, index, isLast: isLast)
        return step > 0 ? index + step : nil
    }

    private func add(_ url: Slice<UnsafeBufferPointer<UInt8>>, at start: Int, to edits: inout [ByteEdit]) {
        guard url.count <= Self.maxURLBytes else { return }
        let text = CSSEscapes.decode(url, hasTwoByteLetters: context.hasTwoByteLetters)
        edits += URLReference.edits(of: text.bytes, as: .style, in: context).map {
            text.written($0, escaping: CSSEscapes.escape).moved(by: start)
        }
    }

    // MARK: Brackets

    private mutating func open(_ frame: Frame) {
        if frames.count < Self.maxDepth, surplusDepth == 0 {
            frames.append(frame)
        } else {
            surplusDepth += 1
        }
    }

    private mutating func close(_ byte: UInt8) {
        if surplusDepth > 0 {
            surplusDepth -= 1
        } else if frames.last?.closing == byte {
            frames.removeLast()
        }
    }

    // MARK: Characters

    private static func isNewline(_ byte: UInt8) -> Bool {
        byte == 0x0A || byte == 0x0D || byte == 0x0C
    }

    private static func isNameLetter(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || byte >= 0x80
    }

    /// Returns the number of bytes of the character at `index`; 0 if its second byte is missing.
    private func letter(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, isLast: Bool) -> Int {
        guard context.hasTwoByteLetters, bytes[index] > 0x80 else { return 1 }
        guard index + 1 < bytes.count else { return isLast ? 1 : 0 }
        return CSSEscapes.letter(bytes[index], bytes[index + 1])
    }

    private func startsName(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
        let at = { (index: Int) in index < bytes.count ? bytes[index] : UInt8(ascii: " ") }
        let isStart = { (byte: UInt8) in byte.isASCIILetter || byte == UInt8(ascii: "_") || byte >= 0x80 }
        let isEscape = { (index: Int) in at(index) == UInt8(ascii: "\\") && !Self.isNewline(at(index + 1)) }
        if at(index) == UInt8(ascii: "-") {
            return isStart(at(index + 1)) || at(index + 1) == UInt8(ascii: "-") || isEscape(index + 1)
        }
        return isStart(at(index)) || isEscape(index)
    }

    private func startsNumber(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
        let at = { (index: Int) in index < bytes.count ? bytes[index] : UInt8(ascii: " ") }
        let isSigned = "+-".utf8.contains(at(index))
        let first = isSigned ? index + 1 : index
        return at(first).isASCIIDigit || at(first) == UInt8(ascii: ".") && at(first + 1).isASCIIDigit
    }

    /// Reads the name at `start`, as far as it is available.
    private func name(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, isLast: Bool
    ) -> (end: Int, isOver: Bool) {
        var index = start
        while index < bytes.count {
            if Self.isNameLetter(bytes[index]) {
                let step = letter(bytes, index, isLast: isLast)
                guard step > 0 else { return (index, false) }
                index += step
            } else if bytes[index] == UInt8(ascii: "\\") {
                if index + 1 < bytes.count, Self.isNewline(bytes[index + 1]) { return (index, true) }
                guard let next = CSSEscapes.end(of: bytes, at: index, isLast: isLast) else { return (index, false) }
                index = next
            } else {
                return (index, true)
            }
        }
        return (bytes.count, isLast)
    }

    private func unescaped(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        CSSEscapes.decode(name, hasTwoByteLetters: context.hasTwoByteLetters).bytes
    }
}
