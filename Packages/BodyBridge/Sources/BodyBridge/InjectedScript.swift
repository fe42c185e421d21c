// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport

/// The script that runs before a page's scripts in each of its frames, and before the scripts of its workers.
///
/// It replaces functions of the engine by functions that send to the container what the engine would lose. A page
/// cannot distinguish them from the engine's. The source is in `Script/src`. In documents of other schemes the script
/// does nothing.
public struct InjectedScript: Sendable, Hashable {
    /// The token that authenticates the script to the container.
    public let token: BridgeToken
    /// The scheme that represents `https`.
    public let secureScheme: String
    /// The scheme that represents `http`.
    public let insecureScheme: String
    /// A Boolean value that indicates whether the script replaces `document.cookie`.
    public let hasCookies: Bool
    /// A Boolean value that indicates whether the script replaces the functions that send bodies; `nil` except for
    /// ``forced(token:hasBodies:hasCookies:)``.
    private let hasBodies: Bool?
    /// The name of the script's state in the page's world. It is random, so a page can neither find nor remove it. An
    /// engine may reveal it to a page that reopens its document, but the page can do no more with it than this script
    /// does.
    private let name = "_" + BridgeToken().text
    /// The name of the factory that creates the script from a configuration. It exists only until the script is
    /// created, before the scripts of the page. It is the same in all pages and is revealed to none.
    private static let maker = "_" + BridgeToken().text

    /// The header field with which the script describes a request. It never leaves the container.
    public static let field = "ContainerKit-Request"

    /// Creates a script for the pages of one view.
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

    /// Returns a script for documents of `https` and `http`, where the engine loses nothing. With it, tests check that
    /// a page cannot detect the replaced functions.
    ///
    /// It converts bodies to bytes before the engine gets them, which takes memory and time. It sends no bridge headers
    /// and does not run in workers.
    /// - Parameters:
    ///   - token: the token that authenticates the script.
    ///   - hasBodies: whether the script replaces the functions that send bodies.
    ///   - hasCookies: whether the script replaces `document.cookie`, by functions that use the engine's cookies.
    public static func forced(token: BridgeToken, hasBodies: Bool, hasCookies: Bool) -> InjectedScript {
        InjectedScript(token: token, hasBodies: hasBodies, hasCookies: hasCookies)
    }

    /// The scripts to inject at document start, in this order.
    ///
    /// Engines inject again into a world that the page has changed, for example after `document.open()`. The script
    /// must not run there, because that would reveal its token. The first script checks for the state of an earlier
    /// run. The second does nothing unless the first found none. The third cannot run twice, because it declares a
    /// constant. None of them calls a function that a page can replace, or a value that may not be a function, because
    /// an engine's error message would quote it. The configuration has no prototype to which a page could add members.
    ///
    /// The second script is the long one. Its text is the same in all pages, so an engine parses it once for each
    /// process.
    public var page: [String] {
        [
            "typeof \(name)==\"undefined\"?\(Self.factoryRequest):\(name)()",
            hasBodies == nil ? Self.making : Self.makingForced,
            "const \(name)=" + Self.makeScript(configuration()),
        ]
    }

    /// The scripts to run one after the other in a blank page, in a world of its own. A process that has run them
    /// starts the script faster in its pages. They contain no token.
    public static let sourcesToPrecompile = [
        factoryRequest, making,
        makeScript(
            Configuration(
                token: "", mark: field, schemes: .init(https: "", http: ""), hasCookies: true, isWarmUp: true)),
    ]

    /// The script that requests the factory.
    private static let factoryRequest = "globalThis.\(maker)=0"

    /// The script that creates the factory if it was requested. This is the long one.
    private static let making = making(ScriptText.page)
    private static let makingForced = making(ScriptText.forced)

    private static func making(_ text: String) -> String {
        "globalThis.\(maker)===0&&(globalThis.\(maker)=CONTAINERKIT=>"
            + "{\(text);return t=>{t?CONTAINERKIT.token=t:CONTAINERKIT.again&&CONTAINERKIT.again()}})"
    }

    /// Returns the script that removes the factory from the world, and creates the script with it if it exists.
    private static func makeScript(_ configuration: Configuration) -> String {
        let making = "typeof make==\"function\"?make(\(ScriptLiteral.object(configuration))):()=>{}"
        return "(make=>delete globalThis.\(maker)&&\(making))(globalThis.\(maker))"
    }

    /// Returns the script that proves documents to be of a site. It runs after ``page``, only in documents of the site.
    /// From then on the injected script sends the proof with its token.
    func proof(_ proof: BridgeToken) -> String {
        "typeof \(name)==\"function\"&&\(name)(\"\(token.text) +\(proof.text)\")"
    }

    /// Returns the script that runs in a worker before the worker's own script. It contains the token, so it is for the
    /// worker only.
    /// - Parameter id: the end of the worker's URL that the page did not write.
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

/// The secret that authenticates the injected script: 128 random bits that the script keeps from its page.
///
/// A page that existed before the script can learn the token. So no security decision may depend on the token alone. A
/// token is valid for one page, as long as its view shows the page. The bridge header of a request and the text of a
/// message begin with it.
public struct BridgeToken: Sendable, Hashable {
    /// The 32 hexadecimal digits.
    public let text: String

    /// Creates a random token.
    public init() {
        text = RandomToken.hex(byteCount: 16)
    }

    /// Returns the text after the token and a space; `nil` if the text does not begin with them.
    ///
    /// The comparison takes constant time.
    func payload(of text: some StringProtocol) -> Substring? {
        var text = Substring(text)
        let rest: Int? = text.withUTF8 { bytes in
            guard let space = bytes.firstIndex(of: UInt8(ascii: " ")), space == self.text.utf8.count else { return nil }
            return RandomToken.isEqual(bytes[..<space], self.text.utf8) ? space + 1 : nil
        }
        return rest.map { text[text.utf8.index(text.startIndex, offsetBy: $0)...] }
    }
}

/// The conversion of values to script literals.
enum ScriptLiteral {
    /// Returns a value as JavaScript. JSON is JavaScript, except for two line terminators that old engines do not
    /// accept.
    static func value(_ value: some Encodable) -> String {
        // Strings and numbers can always be encoded.
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    /// Returns an object without a prototype. Otherwise a page could define the members that the object lacks, and get
    /// the token from them.
    static func object(_ value: some Encodable) -> String {
        #"{"__proto__":null,"# + self.value(value).dropFirst()
    }
}
