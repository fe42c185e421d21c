// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport

/// The script that runs before a page's own, in each of its frames, and in front of its workers'.
///
/// It puts functions in the place of the engine's, which send what the engine would lose to the container, and which a
/// page cannot tell from the engine's. Its source is in `Script/src`. In documents that are not at one of the schemes it
/// does nothing.
public struct InjectedScript: Sendable, Hashable {
    /// Shown to the container by the script, and by nobody else.
    public let token: BridgeToken
    /// Stands for `https`.
    public let secureScheme: String
    /// Stands for `http`.
    public let insecureScheme: String
    /// Whether `document.cookie` is the container's.
    public let hasCookies: Bool
    /// Whether what sends bodies is the script's; `nil` but for ``forced(token:hasBodies:hasCookies:)``.
    private let hasBodies: Bool?
    /// A name in the page's world of what the script has left there, which nobody can find or take away who does not know
    /// it. An engine shows it to a page that opens its document anew, which can do no more with it than this script does.
    private let name = "_" + BridgeToken().text
    /// A name there of what makes the script of a configuration, until the script is made: before the page's own run. It is
    /// the same in all pages, and shown to none.
    private static let maker = "_" + BridgeToken().text

    /// The header field that carries a ``BridgeHeader``. It never leaves the container.
    public static let field = "ContainerKit-Request"

    /// Makes a script for the pages of one view.
    public init(token: BridgeToken, secureScheme: String, insecureScheme: String, hasCookies: Bool) {
        self.token = token
        self.secureScheme = secureScheme
        self.insecureScheme = insecureScheme
        self.hasCookies = hasCookies
        hasBodies = nil
    }

    private init(token: BridgeToken, hasBodies: Bool, hasCookies: Bool) {
        self.token = token
        (secureScheme, insecureScheme) = ("https", "http")
        self.hasCookies = hasCookies
        self.hasBodies = hasBodies
    }

    /// A script for documents of `https` and `http`, where the engine loses nothing: by it tests see whether a page can tell
    /// that functions stand in the place of the engine's. It makes bytes of bodies before the engine has them, which takes
    /// memory and time, says nothing of requests, and does not run in workers.
    /// - Parameters:
    ///   - token: the token by which the container recognizes the script.
    ///   - hasBodies: whether what sends bodies is the script's.
    ///   - hasCookies: whether `document.cookie` is; it reads and sets the engine's own.
    public static func forced(token: BridgeToken, hasBodies: Bool, hasCookies: Bool) -> InjectedScript {
        InjectedScript(token: token, hasBodies: hasBodies, hasCookies: hasCookies)
    }

    /// For documents, at their start, in this order.
    ///
    /// Engines inject into a world again that the page has changed, as after `document.open()`: there the script itself
    /// must not run, which would show its token. The first of these asks what the last has left behind, the second does
    /// nothing unless the first found nothing there, and the last cannot be run twice, since it declares a constant. None
    /// calls what a page can change, or what may be no function, which an engine's message would quote; and the
    /// configuration inherits from nothing that a page could add to.
    ///
    /// The long one is the same text in all pages: an engine reads it once for all that its process shows.
    public var page: [String] {
        [
            "typeof \(name)==\"undefined\"?\(Self.asked):\(name)()",
            hasBodies == nil ? Self.making : Self.makingForced,
            "const \(name)=" + Self.made(configuration()),
        ]
    }

    /// To be run in a blank page, in a world that no page has, one after the other: a process that has done so once runs
    /// the script sooner in its pages. It holds no token.
    public static let sourcesToPrecompile = [
        asked, making,
        made(
            Configuration(
                token: "", mark: field, schemes: .init(https: "", http: ""), hasCookies: true, isWarmUp: true)),
    ]

    /// Asks for the maker.
    private static let asked = "globalThis.\(maker)=0"

    /// Makes the maker where it was asked for: the long one.
    private static let making = making(ScriptText.page)
    private static let makingForced = making(ScriptText.forced)

    private static func making(_ text: String) -> String {
        "globalThis.\(maker)===0&&(globalThis.\(maker)=CONTAINERKIT=>"
            + "{\(text);return t=>{t?CONTAINERKIT.token=t:CONTAINERKIT.again&&CONTAINERKIT.again()}})"
    }

    /// Takes the maker out of the world, and has it make the script where it is there.
    private static func made(_ configuration: Configuration) -> String {
        let making = "typeof make==\"function\"?make(\(ScriptLiteral.object(configuration))):()=>{}"
        return "(make=>delete globalThis.\(maker)&&\(making))(globalThis.\(maker))"
    }

    /// The script that proves documents to be of a site, after ``page``, for documents of the site alone: from then on the
    /// injected script shows the proof with its token.
    func proof(_ proof: BridgeToken) -> String {
        "typeof \(name)==\"function\"&&\(name)(\"\(token.text) +\(proof.text)\")"
    }

    /// What runs in a worker before its own script. It holds the token: it is for the worker alone.
    /// - Parameter id: what the worker's URL ends with that the page did not write.
    func worker(id: String) -> String {
        ScriptText.worker.replacing(
            "CONTAINERKIT", with: ScriptLiteral.object(configuration(id: id)), maxReplacements: 1)
    }

    private func configuration(id: String? = nil) -> Configuration {
        Configuration(
            token: token.text, mark: Self.field, schemes: .init(https: secureScheme, http: insecureScheme),
            hasCookies: hasCookies, hasBodies: hasBodies, id: id)
    }

    private struct Configuration: Encodable {
        struct Schemes: Encodable {
            var https: String
            var http: String
        }

        var token: String
        var mark: String
        var schemes: Schemes
        var hasCookies: Bool
        var hasBodies: Bool?
        var isWarmUp: Bool?
        var id: String?
    }
}

/// What the injected script shows to be the injected script: 128 random bits that it keeps from its page. A page that was
/// there before the script can learn them: nothing that must not happen may depend on them alone.
///
/// A token is one page's, for as long as its view shows it. The mark of a request and the text of a question begin with it.
public struct BridgeToken: Sendable, Hashable {
    /// 32 hexadecimal digits.
    public let text: String

    /// Draws a token.
    public init() {
        text = RandomToken.hex(byteCount: 16)
    }

    /// What follows the token and a space; `nil` where a text does not begin so.
    ///
    /// It takes the same time wherever the first difference is.
    func payload(of text: some StringProtocol) -> Substring? {
        var text = Substring(text)
        let rest: Int? = text.withUTF8 { bytes in
            guard let space = bytes.firstIndex(of: UInt8(ascii: " ")), space == self.text.utf8.count else { return nil }
            return RandomToken.isEqual(bytes[..<space], self.text.utf8) ? space + 1 : nil
        }
        return rest.map { text[text.utf8.index(text.startIndex, offsetBy: $0)...] }
    }
}

/// Values as they stand in a script.
enum ScriptLiteral {
    /// A value as JavaScript. JSON is that, but for the two line ends that only JSON leaves alone, in old engines.
    static func value(_ value: some Encodable) -> String {
        // Texts and numbers always have a form.
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    /// An object without a prototype, of a value that has members: those that it lacks would be looked up where a page can
    /// put some, with the token at hand.
    static func object(_ value: some Encodable) -> String {
        #"{"__proto__":null,"# + self.value(value).dropFirst()
    }
}
