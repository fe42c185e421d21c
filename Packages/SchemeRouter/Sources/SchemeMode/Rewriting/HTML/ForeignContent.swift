// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The state of SVG and MathML content (HTML, section "The rules for parsing tokens in foreign content"), as far as
/// the tokenizer requires it. In foreign content, `<style>` and `<title>` contain tags, and CDATA sections exist.
///
/// HTML elements are not tracked, so a document with mismatched tags may be parsed differently than by an engine.
struct ForeignContent {
    private struct Element {
        var name: ShortName
        var isMath: Bool
        /// A Boolean value that indicates whether the children are HTML elements.
        var holdsHTML: Bool
        /// A Boolean value that indicates whether an HTML child is open.
        var hasHTML = false
    }

    private static let maxDepth = 512
    private var open: [Element] = []

    /// A Boolean value that indicates whether the current node is an SVG or MathML element.
    var isCurrent: Bool {
        open.last.map { !$0.hasHTML } ?? false
    }

    /// Returns a Boolean value that indicates whether a start tag may be or affect an SVG or MathML element.
    func concerns(_ name: ShortName) -> Bool {
        !open.isEmpty || Self.isRoot(name)
    }

    private static func isRoot(_ name: ShortName) -> Bool {
        name == .svg || name == .math
    }

    /// Processes a start tag.
    /// - Returns: A Boolean value that indicates whether the element is an HTML element.
    mutating func start(_ name: ShortName, isSelfClosing: Bool, breaksOut: Bool, holdsHTML: Bool) -> Bool {
        guard let top = open.last else {
            if Self.isRoot(name) { push(name, isMath: name == .math, isSelfClosing, holdsHTML: false) }
            return true
        }
        if top.holdsHTML, !top.isMath || !["mglyph", "malignmark"].contains(name) {
            return startInside(name, isSelfClosing: isSelfClosing)
        }
        if breaksOut || Self.breakingOut.contains(name) {
            leave()
            return startInside(name, isSelfClosing: isSelfClosing)
        }
        let holds =
            top.isMath
            ? Self.holdingInMath.contains(name) || name == .annotation && holdsHTML
            : Self.holdingInSVG.contains(name)
        push(name, isMath: top.isMath && name != .svg, isSelfClosing, holdsHTML: holds)
        return false
    }

    /// Processes an end tag.
    mutating func end(_ name: ShortName) {
        guard !open.isEmpty else { return }
        if let index = open.lastIndex(where: { $0.name == name }) {
            open.removeSubrange(index...)
        } else if isCurrent, Self.breakingOut.contains(name) || Self.around.contains(name) {
            leave()
        }
    }

    private mutating func startInside(_ name: ShortName, isSelfClosing: Bool) -> Bool {
        if Self.isRoot(name) {
            push(name, isMath: name == .math, isSelfClosing, holdsHTML: false)
        } else if !open.isEmpty, !Self.void.contains(name) {
            open[open.count - 1].hasHTML = true
        }
        return true
    }

    private mutating func push(_ name: ShortName, isMath: Bool, _ isSelfClosing: Bool, holdsHTML: Bool) {
        guard !isSelfClosing, open.count < Self.maxDepth else { return }
        open.append(Element(name: name, isMath: isMath, holdsHTML: holdsHTML))
    }

    /// Closes the innermost elements, up to an element whose children are HTML elements.
    private mutating func leave() {
        while let last = open.last, !last.holdsHTML { open.removeLast() }
    }

    private static let holdingInSVG: Set<ShortName> = ["foreignobject", "desc", "title"]
    private static let holdingInMath: Set<ShortName> = ["mi", "mo", "mn", "ms", "mtext"]
    private static let void: Set<ShortName> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ]
    private static let breakingOut: Set<ShortName> = [
        "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2",
        "h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre",
        "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var",
    ]
    /// The elements whose end tag closes an unclosed `<svg>` in them.
    private static let around: Set<ShortName> = [
        "a", "article", "aside", "button", "footer", "form", "header", "html", "label", "main", "nav", "section", "td",
        "th", "tr", "tbody",
    ]
}
