// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import WebSyntax

/// A streaming rewriter that replaces the covered URLs of a document with custom-scheme URLs. All other bytes are
/// unchanged.
///
/// The table in `RewrittenAttribute` determines the rewritten attributes. `<style>`, `style`, import maps, speculation
/// rules, `srcdoc`, and `<meta http-equiv>` for `refresh` and policies are parsed by their own syntax. The `integrity`
/// of style sheets that may be rewritten is passed to `remember` and removed. At most one tag and the current piece are
/// buffered.
@_spi(Fuzzing) public struct HTMLRewriter: TextRewriting {
    /// A closure that stores the expected digests of a style sheet, because the engine no longer checks them.
    /// - Parameters:
    ///   - url: The real URL of the style sheet, without a fragment.
    ///   - metadata: The value of `integrity`.
    /// - Returns: A Boolean value that indicates whether the bytes will be checked. If not, the attribute is not
    ///   removed.
    public typealias Remember = @Sendable (_ url: String, _ metadata: String) -> Bool

    /// The kind of text in the current element.
    private enum Text {
        case plain
        case style(CSSScanner)
        case map(URLReference.Use)
    }

    private var context: RewritingContext
    private let limits: Limits
    private let syntax: DocumentSyntax
    private let remember: Remember?
    private var tokenizer: HTMLTokenizer
    private var buffer = EditedBuffer()
    private var text = Text.plain
    /// The position of the tokenizer, after the bytes that are held back for ``text``.
    private var position = 0
    /// The HTML that is inserted at the start of the head; empty if there is none, or after it is inserted.
    var headStart: [UInt8] = []
    /// A Boolean value that indicates whether a `<base>` was read.
    private var hasBase = false
    /// The loads of held resources in document mode.
    private var loads = HeldLoads()
    /// A closure that receives the charset that the document declares.
    var announce: (@Sendable (TextCharset) -> Void)?
    /// A Boolean value that indicates whether the declared charset is not ASCII-compatible.
    private var isOpaque = false

    /// Creates a rewriter for one document.
    /// - Parameters:
    ///   - context: The names of covered URLs and the URL of the document.
    ///   - syntax: The syntax of the document; HTML by default.
    ///   - limits: The limits of buffered bytes and of the depth of `srcdoc` documents.
    ///   - remember: A closure that receives each `integrity` of a style sheet that may be rewritten, and decides
    ///     whether it is removed. With `nil`, the default, no `integrity` is removed.
    public init(
        _ context: RewritingContext, syntax: DocumentSyntax = .html, limits: Limits = Limits(),
        remember: Remember? = nil
    ) {
        self.context = context
        self.limits = limits
        self.syntax = syntax
        self.remember = remember
        tokenizer = HTMLTokenizer(isXML: syntax == .xml, maxTagBytes: limits.maxTagBytes)
    }

    public mutating func feed(_ piece: Data) -> Data {
        append(piece, isLast: false)
    }

    public mutating func finish() -> Data {
        append(Data(), isLast: true)
    }

    private mutating func append(_ piece: Data, isLast: Bool) -> Data {
        if isOpaque { return piece }
        // Moved out of `self`, because the closure changes the other properties.
        var buffer = buffer
        self.buffer = EditedBuffer()
        defer { self.buffer = buffer }
        return buffer.append(piece, isLast: isLast) { read($0, isLast: isLast, into: &$1) }
    }

    // MARK: Pieces

    /// Reads bytes.
    /// - Returns: The number of finished bytes.
    private mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, into edits: inout [ByteEdit]
    ) -> Int {
        // The start of the unfinished text in the held-back bytes.
        var textStart = 0
        while !isOpaque, let (piece, end) = tokenizer.next(bytes, from: position, isLast: isLast) {
            let place = headStart.isEmpty ? nil : headPlace(at: piece, in: bytes)
            if let place, place < end { insertHead(at: place, into: &edits) }
            defer { if let place, place == end { insertHead(at: place, into: &edits) } }
            switch piece {
            case .text: processText(bytes, &textStart, to: end, isOver: false, into: &edits)
            case .tag(let tag, let range):
                processText(bytes, &textStart, to: range.lowerBound, isOver: true, into: &edits)
                textStart = end
                rewriteTag(tag, bytes, range, into: &edits)
            case .longTag(let range, let tag):
                processText(bytes, &textStart, to: range.lowerBound, isOver: true, into: &edits)
                textStart = end
                if let tag { begin(tag, nil) }
            case .markup(let range):
                processText(bytes, &textStart, to: range.lowerBound, isOver: true, into: &edits)
                textStart = end
            }
            position = end
        }
        if isOpaque {
            position = 0
            return bytes.count
        }
        if isLast {
            processText(bytes, &textStart, to: bytes.count, isOver: true, into: &edits)
            insertHead(at: bytes.count, into: &edits)
            return bytes.count
        }
        let done = if case .plain = text { position } else { min(textStart, position) }
        position -= done
        return done
    }

    /// Processes the text of the current element up to `end`, and moves `start` to the first unfinished byte.
    private mutating func processText(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: inout Int, to end: Int, isOver: Bool, into edits: inout [ByteEdit]
    ) {
        guard start < end || isOver else { return }
        let piece = UnsafeBufferPointer(rebasing: bytes[start..<max(start, end)])
        switch text {
        case .plain: start = end
        case .style(var scanner):
            // Moved out of `text`, so that it is not copied.
            text = .plain
            var found: [ByteEdit] = []
            let done = scanner.scan(piece, isLast: isOver, into: &found)
            edits += found.map { $0.moved(by: start) }
            start += done
            text = .style(isOver ? CSSScanner(context) : scanner)
        case .map(let use):
            if isOver {
                var context = context
                context.areModules = true
                edits += JSONStrings.edits(of: Array(piece), as: use, in: context).map { $0.moved(by: start) }
                start = end
            } else if piece.count > limits.maxMapBytes {
                start = end
                text = .plain
            }
        }
    }

    // MARK: Head

    /// Returns the place of the first content of the head: after `<head>`, or before the first piece that is neither
    /// `<html>`, markup nor white space (HTML, section "The before head insertion mode").
    private func headPlace(at piece: HTMLTokenizer.Piece, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        switch piece {
        case .markup: return nil
        case .tag(let tag, let range) where !tag.isEnd:
            return tag.name == "html" ? nil : tag.name == "head" ? range.upperBound : range.lowerBound
        case .tag(_, let range), .longTag(let range, _): return range.lowerBound
        case .text(var range):
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            if range.lowerBound == 0, bytes[range].starts(with: mark) { range.removeFirst(mark.count) }
            return bytes[range].allSatisfy(\.isASCIIWhitespace) ? nil : range.lowerBound
        }
    }

    private mutating func insertHead(at place: Int, into edits: inout [ByteEdit]) {
        guard !headStart.isEmpty else { return }
        edits.append(ByteEdit(place..<place, headStart))
        headStart = []
    }

    // MARK: Tags

    private mutating func rewriteTag(
        _ tag: HTMLTag, _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, into edits: inout [ByteEdit]
    ) {
        let element = syntax == .xml ? tag.name.local : tag.name
        if context.selection == .held, tag.isEnd { loads.end(element) }
        if !tag.isEnd, !tag.attributes.isEmpty || context.selection == .held && element == "picture" {
            var editor = TagEditor(tag, UnsafeBufferPointer(rebasing: bytes[range]))
            var decision = HeldLoads.Decision.rewrite
            if context.selection == .held {
                context.areModules = HeldLoads.isModule(editor, element: element)
                decision = loads.decision(on: editor, element: element, in: context) {
                    HeldLoads.childrenOfPicture(in: bytes, from: range.upperBound, by: tokenizer)
                }
            }
            rewrite(&editor, element: element, loads: decision != .skip)
            context.areModules = false
            // The spelling marks the attribute as that of the container, for the script of the document.
            if decision == .rewriteWithCORS { editor.add("crossorigin", "ANONYMOUS") }
            edits += editor.edits.map { $0.moved(by: range.lowerBound) }
            begin(tag, editor)
        } else {
            begin(tag, nil)
        }
    }

    /// Determines the kind of the text after a tag.
    private mutating func begin(_ tag: HTMLTag, _ editor: TagEditor?) {
        text = .plain
        guard !tag.isEnd, !(tag.isSelfClosing && (syntax == .xml || tokenizer.rawElement == .none)) else { return }
        let element = syntax == .xml ? tag.name.local : tag.name
        if element == .style {
            text = .style(CSSScanner(context))
        } else if element == .script, let type = editor?.value(of: "type") {
            if type.equalsIgnoringCase("importmap") { text = .map(.load) }
            if type.equalsIgnoringCase("speculationrules") { text = .map(.navigation) }
        }
    }

    /// Rewrites the attributes of a tag.
    /// - Parameter loads: A Boolean value that indicates whether the URLs of resources are rewritten.
    private mutating func rewrite(_ editor: inout TagEditor, element: ShortName, loads: Bool) {
        let base = element == .base && !hasBase ? editor.value(of: "href") : nil
        if element == .link { moveIntegrity(&editor) }
        for attribute in editor.attributes {
            guard let kind = RewrittenAttribute.value(of: attribute, on: element),
                kind == .pragma || context.selection == .held || editor.mayHoldURL(attribute),
                loads || !kind.isLoad
            else { continue }
            editor.edit(attribute) { value, editor in edits(of: value, as: kind, in: editor) }
        }
        if element == .meta { apply(editor) }
        // Set last, because the base URL itself is resolved against the document's URL.
        if let base {
            hasBase = true
            context.setBase(String(decoding: base, as: UTF8.self))
        }
    }

    private func edits(of value: [UInt8], as kind: RewrittenAttribute.Value, in editor: TagEditor) -> [ByteEdit] {
        switch kind {
        case .load: return URLReference.edits(of: value, as: .load, in: context)
        case .native: return context.selection == .held ? [] : URLReference.edits(of: value, as: .load, in: context)
        case .navigation: return URLReference.edits(of: value, as: .navigation, in: context)
        case .sourceSet: return SourceSet.edits(of: value, in: context)
        case .style: return CSSScanner.edits(of: value, in: context)
        case .document: return nested(value)
        case .link:
            guard let rel = editor.value(of: "rel"),
                context.selection == .held ? RewrittenAttribute.loadsHeld(rel) : RewrittenAttribute.loads(rel)
            else { return [] }
            return URLReference.edits(of: value, as: .load, in: context)
        case .pragma:
            guard let name = editor.value(of: "http-equiv") else { return [] }
            if name.equalsIgnoringCase("refresh") { return RefreshValue.edits(of: value, in: context) }
            return PolicyField.isName(name) ? PolicyField.edits(of: value, in: context) : []
        }
    }

    /// Returns the edits of a `srcdoc` document, which inherits the URL and the policy of its page.
    private func nested(_ value: [UInt8]) -> [ByteEdit] {
        guard limits.maxNesting > 0 else { return [] }
        var inner = limits
        inner.maxNesting -= 1
        // The style sheets belong to a frame, so their `integrity` attributes are not removed.
        var rewriter = HTMLRewriter(context, limits: inner, remember: nil)
        var edits: [ByteEdit] = []
        _ = value.withUnsafeBufferPointer { rewriter.read($0, isLast: true, into: &edits) }
        return edits
    }

    /// Applies the charset and policy of a `<meta>` element to the following text.
    private mutating func apply(_ editor: TagEditor) {
        var label = editor.value(of: "charset")
        if let content = editor.value(of: "content"), let name = editor.value(of: "http-equiv") {
            if name.equalsIgnoringCase("content-security-policy"), PolicyField.upgradesInsecureRequests(content) {
                context.upgradesInsecureRequests = true
            }
            if name.equalsIgnoringCase("content-type") { label = TextCharset.label(in: content) }
        }
        guard let label, !context.hasCharset else { return }
        let charset = TextCharset(labelInText: String(decoding: label, as: UTF8.self))
        announce?(charset)
        switch charset {
        case .opaque: isOpaque = true
        case .twoByte: context.hasTwoByteLetters = true
        case .utf8, .ascii: break
        }
    }

    /// Removes the `integrity` of a style sheet that may be rewritten (Subresource Integrity) and passes it to
    /// `remember`.
    private func moveIntegrity(_ editor: inout TagEditor) {
        // The requested URL must be unambiguous: without a `<base>`, special characters and character references.
        guard let remember, context.base == nil, let metadata = editor.value(of: "integrity"),
            editor.loadsStyleSheet, let href = editor.value(of: "href"),
            href.allSatisfy({ (0x21...0x7E).contains($0) && !"&'\\".utf8.contains($0) }),
            !href.starts(with: "///".utf8)
        else { return }
        let value = String(decoding: metadata, as: UTF8.self)
        guard IntegrityMetadata(value) != nil,
            let target = RealURL.resolve(String(decoding: href, as: UTF8.self), against: context.url),
            let url = RealURL.canonical(target), context.covers(url, context.page),
            // The engine checks cross-origin resources only after a CORS request. Without `crossorigin` it refuses
            // them, so the attribute must stay.
            RealURL.isSameOrigin(url, context.url) || editor.value(of: "crossorigin") != nil,
            remember(url, value)
        else { return }
        editor.drop("integrity")
    }
}

@_spi(Fuzzing) extension HTMLRewriter {
    /// The limits of the memory that a document can use.
    @_spi(Fuzzing) public struct Limits: Sendable, Hashable {
        /// The maximum size of a tag that is rewritten, in bytes; 256 KiB by default, because a tag may contain a
        /// `srcdoc` document.
        public var maxTagBytes = 256 << 10
        /// The maximum size of an import map that is rewritten, in bytes; 256 KiB by default.
        public var maxMapBytes = 256 << 10
        /// The maximum nesting depth of `srcdoc` documents that are rewritten; 3 by default.
        public var maxNesting = 3

        /// Creates the default options.
        public init() {}
    }
}

/// The syntax of a document.
@_spi(Fuzzing) public enum DocumentSyntax: Sendable, Hashable {
    /// The syntax of `text/html`.
    case html
    /// The syntax of XHTML and SVG: no element contains raw text, and CDATA sections are allowed everywhere.
    case xml
}
