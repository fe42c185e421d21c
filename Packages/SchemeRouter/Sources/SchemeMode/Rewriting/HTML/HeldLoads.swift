// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The decisions of document mode on the elements of a document that load resources.
///
/// Engines permit loads from a custom scheme in a real document with CORS only, so these elements get `crossorigin`.
/// It applies to all URLs of the element. The URLs stay unchanged if one of them is neither held nor of the document's
/// origin, because its server may not permit CORS. The elements in a `<picture>` are decided together.
struct HeldLoads {
    enum Decision {
        case skip
        case rewrite
        /// Rewriting with an added `crossorigin`.
        case rewriteWithCORS
    }

    /// The maximum number of tokens that are read ahead to find the children of a picture.
    private static let maxTokens = 128

    /// The decision on the current `<picture>`; `nil` outside.
    private var picture: Decision?

    /// Returns the decision on the URLs of resources of a start tag.
    /// - Parameters:
    ///   - editor: The tag.
    ///   - element: The name of the element.
    ///   - context: The context of the document.
    ///   - children: A closure that returns the children of a `<picture>`.
    mutating func decision(
        on editor: TagEditor, element: ShortName, in context: RewritingContext, children: () -> [TagEditor]?
    ) -> Decision {
        switch element {
        case "picture":
            let children = children() ?? []
            picture = children.last.map { Self.decision(on: $0, loads: children, in: context) } ?? .skip
            return .rewrite
        case "source": return picture ?? .skip == .skip ? .skip : .rewrite
        case "img", "image":
            defer { picture = nil }
            return picture ?? Self.decision(on: editor, loads: [editor], in: context)
        case .script:
            return context.areModules ? .rewrite : Self.decision(on: editor, loads: [editor], in: context)
        case .link:
            // The bytes of a rewritten style sheet do not match its `integrity`.
            if editor.has("integrity"), editor.loadsStyleSheet { return .skip }
            return context.areModules ? .rewrite : Self.decision(on: editor, loads: [editor], in: context)
        default: return .rewrite
        }
    }

    /// Returns a Boolean value that indicates whether an element loads a module.
    static func isModule(_ editor: TagEditor, element: ShortName) -> Bool {
        switch element {
        case .script: editor.value(of: "type").map { words(in: $0) == ["module"] } ?? false
        case .link: editor.value(of: "rel").map { words(in: $0).contains("modulepreload") } ?? false
        default: false
        }
    }

    /// Processes an end tag.
    mutating func end(_ element: ShortName) {
        if element == "picture" { picture = nil }
    }

    /// Returns the decision on elements that load with the CORS setting of one of them.
    private static func decision(
        on setting: TagEditor, loads: [TagEditor], in context: RewritingContext
    ) -> Decision {
        if setting.has("crossorigin") { return .rewrite }
        var isHeld = false
        for target in loads.lazy.flatMap({ targets(of: $0, in: context) }) {
            switch target {
            case .resource(let url) where context.holds(url): isHeld = true
            case .resource(let url) where RealURL.isSameOrigin(url, context.page): break
            case .resource, .unknown: return .skip
            case .document, .other: break
            }
        }
        return isHeld ? .rewriteWithCORS : .skip
    }

    /// Returns the targets of all URLs of resources of a tag.
    private static func targets(of editor: TagEditor, in context: RewritingContext) -> [URLReference.Target] {
        editor.attributes.flatMap { attribute in
            guard let kind = RewrittenAttribute.value(of: attribute, on: editor.name), kind.isLoad,
                let value = editor.value(of: attribute)
            else { return [URLReference.Target]() }
            switch kind {
            case .sourceSet: return SourceSet.urls(in: value).map { URLReference.target(of: value[$0], in: context) }
            case .link where !(editor.value(of: "rel").map { RewrittenAttribute.loadsHeld($0) } ?? false): return []
            default: return [URLReference.target(of: value, in: context)]
            }
        }
    }

    /// Returns the `<source>` elements of a `<picture>` up to its image, and the image; `nil` if it has none.
    static func childrenOfPicture(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, by tokenizer: HTMLTokenizer
    ) -> [TagEditor]? {
        var ahead = tokenizer
        var position = start
        var children: [TagEditor] = []
        for _ in 0..<maxTokens {
            guard let (piece, end) = ahead.next(bytes, from: position, isLast: true) else { return nil }
            position = end
            switch piece {
            case .text, .markup: break
            case .longTag: return nil
            case .tag(let tag, let range):
                // Pictures are not nested, so each byte is read ahead once.
                if tag.name == "picture" { return nil }
                let isImage = tag.name == "img" || tag.name == "image"
                guard !tag.isEnd, isImage || tag.name == "source" else { continue }
                children.append(TagEditor(tag, UnsafeBufferPointer(rebasing: bytes[range])))
                if isImage { return children }
            }
        }
        return nil
    }

    private static func words(in value: [UInt8]) -> [String] {
        value.split { $0.isASCIIWhitespace }.map { String(decoding: $0.map(\.asciiLowercased), as: UTF8.self) }
    }
}

extension RewrittenAttribute.Value {
    /// A Boolean value that indicates whether a value has URLs that an element loads as its resource.
    var isLoad: Bool {
        switch self {
        case .load, .sourceSet, .link: true
        case .native, .navigation, .style, .document, .pragma: false
        }
    }
}
