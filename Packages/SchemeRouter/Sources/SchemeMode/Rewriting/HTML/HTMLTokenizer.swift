// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The tokenizer of the HTML standard (section "Tokenization"), limited to the boundaries of tokens. It processes
/// bytes of an ASCII-compatible charset.
///
/// The division of a document into pieces does not affect its tokens. Tree construction is included where it affects
/// the tokenizer: elements with raw text, and foreign content. Scripting is enabled, so `<noscript>` contains raw text.
/// In XML, no element contains raw text, CDATA sections are allowed everywhere, and names may have prefixes.
struct HTMLTokenizer {
    /// The content model of the following text.
    private(set) var content: Content
    /// The element that contains the following text.
    private(set) var rawElement: ShortName
    /// The end tag of ``rawElement``, up to its name.
    private var endTag: [UInt8] = []
    private var open = Open.nothing
    private var scanner = TagScanner(isEnd: false)
    /// The number of bytes of an unfinished token that were already read.
    private var scanned = 0
    private var isLongTag = false
    /// The number of consecutive dashes before the current position in comments and escaped scripts, at most two.
    private var dashes = 0
    /// A Boolean value that indicates whether `!` follows two dashes in a comment.
    private var hasBang = false
    /// The open quotation mark in an XML document type.
    private var quote: UInt8?
    private var foreign = ForeignContent()
    private let isXML: Bool
    private let followsTree: Bool
    private let maxTagBytes: Int

    /// Creates a tokenizer.
    /// - Parameters:
    ///   - isXML: A Boolean value that indicates whether the document is XML; `false` by default.
    ///   - maxTagBytes: The maximum size of a tag that is buffered, in bytes.
    ///   - content: The content model at the beginning; data by default.
    ///   - rawElement: The element that contains the text at the beginning.
    ///   - followsTree: A Boolean value that indicates whether start tags change the content model; `true` by default.
    init(
        isXML: Bool = false, maxTagBytes: Int, content: Content = .data, rawElement: ShortName = "",
        followsTree: Bool = true
    ) {
        self.isXML = isXML
        self.maxTagBytes = maxTagBytes
        self.content = content
        self.rawElement = rawElement
        endTag = Self.endTag(of: rawElement)
        self.followsTree = followsTree
    }

    /// Returns the piece that begins at `start`.
    ///
    /// - Parameter bytes: All bytes received from `start` on. After `nil`, they must be passed again with the
    ///   following bytes.
    /// - Returns: `nil` if more bytes are required, or if none are left.
    mutating func next(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, isLast: Bool
    ) -> (piece: Piece, end: Int)? {
        guard start < bytes.count else { return nil }
        let rest = UnsafeBufferPointer(rebasing: bytes[start...])
        var end: Int
        var isMarkup = true
        switch open {
        case .tag: return nextTag(rest, from: start, isLast: isLast)
        case .comment: end = endOfComment(rest, from: 0)
        case .bogus:
            end = Self.index(of: UInt8(ascii: ">"), in: rest, from: 0).map { $0 + 1 } ?? rest.count
            if rest[end - 1] == UInt8(ascii: ">") { open = .nothing }
        case .instruction: end = endOfInstruction(rest)
        case .documentType(let depth): end = endOfDocumentType(rest, depth: depth)
        case .nothing:
            switch content {
            case .data: return data(rest, from: start, isLast: isLast)
            case .plainText: (end, isMarkup) = (rest.count, false)
            case .cdata:
                guard let (found, isEnd) = cdata(rest, isLast: isLast) else { return nil }
                (end, isMarkup) = (found, isEnd)
            case .rawText, .script, .scriptEscaped, .scriptDoubleEscaped:
                guard let found = rawText(rest, isLast: isLast) else { return nil }
                if open == .tag { return nextTag(rest, from: start, isLast: isLast) }
                (end, isMarkup) = (found, false)
            }
        }
        let range = start..<start + end
        return (isMarkup ? .markup(range) : .text(range), range.upperBound)
    }

    // MARK: Tags

    private mutating func begin(tagThatEnds isEnd: Bool) {
        open = .tag
        scanner = TagScanner(isEnd: isEnd)
        scanned = isEnd ? 2 : 1
        isLongTag = false
    }

    private mutating func nextTag(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, isLast: Bool
    ) -> (piece: Piece, end: Int)? {
        let isOver = scanner.scan(bytes, &scanned)
        let range = start..<start + scanned
        if isOver {
            open = .nothing
            let tag = scanner.tag
            content = .data
            if followsTree { follow(tag, bytes) }
            let isKept = !isLongTag && scanner.isWhole
            return (isKept ? .tag(tag, range) : .longTag(range, ending: tag), range.upperBound)
        }
        // An unfinished tag at the end of the document is not a tag; its bytes are unchanged.
        if isLast {
            scanned = 0
            return (.longTag(range, ending: nil), range.upperBound)
        }
        guard isLongTag || scanned > maxTagBytes else { return nil }
        scanner.dropAttributes()
        isLongTag = true
        scanned = 0
        return (.longTag(range, ending: nil), range.upperBound)
    }

    /// Updates the content model and the foreign content after a tag.
    private mutating func follow(_ tag: HTMLTag, _ bytes: UnsafeBufferPointer<UInt8>) {
        rawElement = .none
        if isXML { return }
        guard !tag.isEnd else { return foreign.end(tag.name) }
        if !foreign.concerns(tag.name) { return hold(tag.name) }
        let isHTML = foreign.start(
            tag.name, isSelfClosing: tag.isSelfClosing,
            breaksOut: tag.name == .font
                && ["color", "face", "size"].contains { value(of: $0, in: tag, bytes) != nil },
            holdsHTML: tag.name == .annotation
                && value(of: "encoding", in: tag, bytes).map {
                    $0.equalsIgnoringCase("text/html") || $0.equalsIgnoringCase("application/xhtml+xml")
                } ?? false)
        if isHTML { hold(tag.name) }
    }

    /// Sets the content model that follows the start tag of an HTML element, if the element has its own content model.
    private mutating func hold(_ name: ShortName) {
        guard let held = Self.held[name] else { return }
        content = held
        rawElement = name
        endTag = Self.endTag(of: name)
        dashes = 0
    }

    private static let held: [ShortName: Content] = [
        "title": .rawText, "textarea": .rawText, "style": .rawText, "xmp": .rawText, "iframe": .rawText,
        "noembed": .rawText, "noframes": .rawText, "noscript": .rawText, "script": .script, "plaintext": .plainText,
    ]

    private func value(
        of name: ShortName, in tag: HTMLTag, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Slice<UnsafeBufferPointer<UInt8>>? {
        guard !isLongTag else { return nil }
        return tag.attributes.first { $0.key == name }.map { bytes[$0.value] }
    }

    // MARK: Data

    private mutating func data(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, isLast: Bool
    ) -> (piece: Piece, end: Int)? {
        let text = Self.index(of: UInt8(ascii: "<"), in: bytes, from: 0) ?? bytes.count
        if text > 0 { return (.text(start..<start + text), start + text) }
        guard bytes.count > 1 else { return isLast ? (.text(start..<start + 1), start + 1) : nil }
        var end = 1
        switch bytes[1] {
        case let byte where byte.isASCIILetter || isXML && byte >= 0x80 || isXML && byte == UInt8(ascii: "_"):
            begin(tagThatEnds: false)
            return nextTag(bytes, from: start, isLast: isLast)
        case UInt8(ascii: "/"):
            guard bytes.count > 2 else { return isLast ? (.text(start..<start + 2), start + 2) : nil }
            if bytes[2].isASCIILetter || isXML {
                begin(tagThatEnds: true)
                return nextTag(bytes, from: start, isLast: isLast)
            }
            // `</>` is ignored; its `>` is found immediately.
            open = .bogus
            end = 2
        case UInt8(ascii: "?"):
            open = isXML ? .instruction : .bogus
            dashes = 0
            end = isXML ? 2 : 1
        case UInt8(ascii: "!"):
            guard let length = declaration(bytes, isLast: isLast) else { return nil }
            end = length
        default: return (.text(start..<start + 1), start + 1)
        }
        return (.markup(start..<start + end), start + end)
    }

    /// Reads the beginning of `<!` (section "Markup declaration open state").
    /// - Returns: The length of the beginning; `nil` if more bytes are required.
    private mutating func declaration(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Int? {
        let rest = bytes.dropFirst(2)
        let may = { (text: StaticString) in
            !isLast && rest.count < text.utf8CodeUnitCount
                && text.withUTF8Buffer { zip(rest, $0).allSatisfy { $0.asciiLowercased == $1 } }
        }
        if rest.startsIgnoringCase("--") {
            return commentStart(bytes, isLast: isLast)
        }
        if isXML || foreign.isCurrent, rest.starts(with: "[CDATA[".utf8) {
            content = .cdata
            return 9
        }
        guard !may("--"), !may("doctype"), !may("[cdata[") else { return nil }
        open = .bogus
        if isXML, rest.startsIgnoringCase("doctype") {
            open = .documentType(depth: 0)
            quote = nil
        }
        return 2
    }

    /// Reads the start of a comment. `<!-->` and `<!--->` are complete comments.
    private mutating func commentStart(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Int? {
        if bytes.count > 4, bytes[4] == UInt8(ascii: ">") { return 5 }
        if bytes.count > 5, bytes[4] == UInt8(ascii: "-"), bytes[5] == UInt8(ascii: ">") { return 6 }
        if !isLast, bytes.count < 5 || bytes.count < 6 && bytes[4] == UInt8(ascii: "-") { return nil }
        open = .comment
        dashes = 0
        hasBang = false
        // A dash directly after the start counts twice (section "Comment start dash state").
        if bytes.count > 4, bytes[4] == UInt8(ascii: "-") {
            dashes = bytes.count > 5 && bytes[5] == UInt8(ascii: "-") ? 2 : 1
            return 4 + dashes
        }
        return 4
    }

    private mutating func endOfComment(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "-"):
                dashes = hasBang ? 1 : min(dashes + 1, 2)
                hasBang = false
            case UInt8(ascii: ">") where dashes == 2 || hasBang:
                (dashes, hasBang) = (0, false)
                open = .nothing
                return index
            case UInt8(ascii: "!") where dashes == 2: (dashes, hasBang) = (0, true)
            default:
                (dashes, hasBang) = (0, false)
                index = Self.index(of: UInt8(ascii: "-"), in: bytes, from: index) ?? bytes.count
            }
        }
        return index
    }

    private mutating func endOfInstruction(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: ">"), dashes == 1 {
                dashes = 0
                open = .nothing
                return index + 1
            }
            dashes = byte == UInt8(ascii: "?") ? 1 : 0
        }
        return bytes.count
    }

    private mutating func endOfDocumentType(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int) -> Int {
        var depth = depth
        for (index, byte) in bytes.enumerated() {
            if let quote {
                if byte == quote { self.quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "["), UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0:
                open = .nothing
                return index + 1
            case UInt8(ascii: ">"): depth -= 1
            default: break
            }
        }
        open = .documentType(depth: depth)
        return bytes.count
    }

    // MARK: Raw text

    private mutating func cdata(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> (end: Int, isEnd: Bool)? {
        let end = Self.index(of: UInt8(ascii: "]"), in: bytes, from: 0) ?? bytes.count
        if end > 0 { return (end, false) }
        if bytes.starts(with: "]]>".utf8) {
            content = .data
            return (3, true)
        }
        let mayEnd = bytes.count < 3 && bytes.count(where: { $0 == UInt8(ascii: "]") }) == bytes.count
        return mayEnd && !isLast ? nil : (1, false)
    }

    /// Returns the length of a part of raw text. If the end tag is at the start of the bytes, begins the tag.
    private mutating func rawText(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Int? {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "<") {
                guard let step = afterLess(UnsafeBufferPointer(rebasing: bytes[index...]), isLast: isLast) else {
                    return index > 0 ? index : nil
                }
                if step == 0 {
                    if index == 0 { begin(tagThatEnds: true) }
                    return index
                }
                index += step
                continue
            }
            guard content == .scriptEscaped || content == .scriptDoubleEscaped else {
                index = Self.index(of: UInt8(ascii: "<"), in: bytes, from: index) ?? bytes.count
                continue
            }
            if byte == UInt8(ascii: ">"), dashes == 2 { content = .script }
            dashes = byte == UInt8(ascii: "-") ? min(dashes + 1, 2) : 0
            index += 1
        }
        return index
    }

    /// Handles a `<` in raw text.
    /// - Returns: The number of bytes to skip; 0 for the end tag of the element, `nil` if more bytes are required.
    private mutating func afterLess(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Int? {
        switch content {
        case .scriptDoubleEscaped:
            switch Self.find(Self.scriptEnd, in: bytes, isLast: isLast) {
            case nil: return nil
            case true?:
                content = .scriptEscaped
                dashes = 0
                return 9
            case false?: break
            }
        default:
            switch endTag.isEmpty ? false : Self.find(endTag, in: bytes, isLast: isLast) {
            case nil: return nil
            case true?: return 0
            case false?: break
            }
        }
        switch content {
        case .script:
            if bytes.starts(with: "<!--".utf8) {
                content = .scriptEscaped
                dashes = 2
                return 4
            }
            if !isLast, bytes.count < 4, "<!--".utf8.starts(with: bytes) { return nil }
        case .scriptEscaped:
            switch Self.find(Self.scriptStart, in: bytes, isLast: isLast) {
            case nil: return nil
            case true?:
                content = .scriptDoubleEscaped
                dashes = 0
                return 8
            case false?: break
            }
        default: break
        }
        dashes = 0
        return 1
    }

    /// Returns a Boolean value that indicates whether the bytes begin with a text and the end of a tag name; `nil` if
    /// more bytes are required.
    private static func find(_ text: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Bool? {
        for index in 0..<min(text.count, bytes.count) where bytes[index].asciiLowercased != text[index] { return false }
        guard bytes.count > text.count else { return isLast ? false : nil }
        let byte = bytes[text.count]
        return byte.isASCIIWhitespace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
    }

    private static let scriptStart = Array("<script".utf8)
    private static let scriptEnd = Array("</script".utf8)

    private static func endTag(of name: ShortName) -> [UInt8] {
        name == .none ? [] : Array("</\(name)".utf8)
    }

    private static func index(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, CInt(byte), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(base).distance(to: found)
    }
}
