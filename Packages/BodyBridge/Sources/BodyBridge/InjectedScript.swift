// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport

/// The script that runs before a page's scripts in each of its frames, and before the scripts of its workers.
///
/// It replaces functions of the engine by functions that send to the container the data that the engine would lose. A
/// page cannot distinguish the replacements from the engine's functions. The source is in `Script/src`. The script does
/// nothing in documents whose scheme is neither ``secureScheme`` nor ``insecureScheme``.
public struct InjectedScript: Sendable, Hashable {
    /// The token that authenticates the script to the container.
    public let token: BridgeToken
    /// The scheme that represents `https`.
    public let secureScheme: String
    /// The scheme that represents `http`.
    public let insecureScheme: String
    /// The other schemes that count as `https`, which pages use but have no documents of.
    private let aliases: [String]
    /// A Boolean value that indicates whether the script replaces `document.cookie`.
    public let hasCookies: Bool
    /// A Boolean value that indicates whether the script replaces the functions that send bodies; `nil` except for
    /// ``forced(token:hasBodies:hasCookies:)``.
    private let hasBodies: Bool?
    /// The name of the script's state in the page's world. It is random, so a page can neither find nor remove the
    /// state. An engine may reveal the name to a page that reopens its document. The page can then do with it only what
    /// the container's scripts do.
    private let name = "_" + BridgeToken().text
    /// The name of the factory that creates the script from a configuration. The factory exists only until the script
    /// is created, before the scripts of the page run. The name is the same in all pages and is revealed to no page.
    private static let maker = "_" + BridgeToken().text

    /// The header field with which the script describes a request. It never leaves the container.
    public static let field = "ContainerKit-Request"

    /// Creates a script for the pages of one view.
    /// - Parameters:
    ///   - token: the token that authenticates the script.
    ///   - secureScheme: the scheme that represents `https`.
    ///   - insecureScheme: the scheme that represents `http`.
    ///   - aliases: the other schemes that count as `https` in URLs of the page's scripts; none by default.
    ///   - hasCookies: a Boolean value that indicates whether the script replaces `document.cookie`.
    public init(
        token: BridgeToken, secureScheme: String, insecureScheme: String, aliases: [String] = [], hasCookies: Bool
    ) {
        self.aliases = aliases
        self.token = token
        self.secureScheme = secureScheme
        self.insecureScheme = insecureScheme
        self.hasCookies = hasCookies
        hasBodies = nil
    }

    private init(token: BridgeToken, hasBodies: Bool, hasCookies: Bool) {
        self.token = token
        (secureScheme, insecureScheme, aliases) = ("https", "http", [])
        self.hasCookies = hasCookies
        self.hasBodies = hasBodies
    }

    /// Returns a script for documents of `https` and `http`, in which the engine loses no bodies. Tests use it to check
    /// that a page cannot detect the replaced functions.
    ///
    /// It converts bodies to bytes before the engine gets them, which takes memory and time. It sends no bridge headers
    /// and does not run in workers.
    /// - Parameters:
    ///   - token: the token that authenticates the script.
    ///   - hasBodies: a Boolean value that indicates whether the script replaces the functions that send bodies.
    ///   - hasCookies: a Boolean value that indicates whether the script replaces `document.cookie` by functions that
    ///     use the engine's cookies.
    public static func forced(token: BridgeToken, hasBodies: Bool, hasCookies: Bool) -> InjectedScript {
        InjectedScript(token: token, hasBodies: hasBodies, hasCookies: hasCookies)
    }

    /// The scripts to inject at document start, in this order.
    ///
    /// Engines inject again into a world that the page has changed, for example after `document.open()`. A second run
    /// would reveal the token to the page. The first script checks for the state of an earlier run. The second script
    /// runs only if the first found no state. The third script cannot run twice, because it declares a constant.
    ///
    /// The scripts call no function that a page can replace. They also call no value that may not be a function,
    /// because the error message of the engine would quote the script. The configuration has no prototype to which a
    /// page could add members.
    ///
    /// The second script is by far the longest. Its text is the same in all pages, so an engine parses it once for each
    /// process.
    public var page: [String] {
        [
            "typeof \(name)==\"undefined\"?\(Self.factoryRequest):\(name)()",
            hasBodies == nil ? Self.making : Self.makingForced,
            "const \(name)=" + Self.makeScript(configuration()),
        ]
    }

    /// The scripts to run one after the other in a blank page, in a separate world. A process that has run these
    /// scripts starts the injected script faster in its pages. They contain no token.
    public static let sourcesToPrecompile = [
        factoryRequest, making,
        makeScript(
            Configuration(
                token: "", mark: field, schemes: ["https": "", "http": ""], hasCookies: true, isWarmUp: true)),
    ]

    /// The script that requests the factory.
    private static let factoryRequest = "globalThis.\(maker)=0"

    /// The script that creates the factory if it was requested. It contains the text of the injected script.
    private static let making = making(ScriptText.page)
    private static let makingForced = making(ScriptText.forced)

    private static func making(_ text: String) -> String {
        "globalThis.\(maker)===0&&(globalThis.\(maker)=CONTAINERKIT=>"
            + "{\(text);return t=>{t?CONTAINERKIT.token=t:CONTAINERKIT.again&&CONTAINERKIT.again()}})"
    }

    /// Returns the script that removes the factory from the world. If the factory exists, the script creates the
    /// injected script with it.
    private static func makeScript(_ configuration: Configuration) -> String {
        let making = "typeof make==\"function\"?make(\(ScriptLiteral.object(configuration))):()=>{}"
        return "(make=>delete globalThis.\(maker)&&\(making))(globalThis.\(maker))"
    }

    /// Returns the script that proves that a document belongs to a site. It runs after ``page``, only in documents of
    /// the site. The injected script then sends the proof with its token.
    func proof(_ proof: BridgeToken) -> String {
        "typeof \(name)==\"function\"&&\(name)(\"\(token.text) +\(proof.text)\")"
    }

    /// Returns the script that runs in a worker before the worker's own script. It contains the token, so only the
    /// worker may receive it.
    /// - Parameter id: the id that the injected script of the page has appended to the worker's URL.
    func worker(id: String) -> String {
        ScriptText.worker.replacing(
            "CONTAINERKIT", with: ScriptLiteral.object(configuration(id: id)), maxReplacements: 1)
    }

    private func configuration(id: String? = nil) -> Configuration {
        // Without a prototype: the script enumerates the members, and a page can add members to a prototype.
        var schemes: [String: String?] = ["__proto__": nil, "https": secureScheme, "http": insecureScheme]
        for alias in aliases { schemes[alias] = secureScheme }
        return Configuration(
            token: token.text, mark: Self.field, schemes: schemes, hasCookies: hasCookies, hasBodies: hasBodies, id: id)
    }

    private struct Configuration: Encodable {
        var token: String
        var mark: String
        /// The container's schemes by those that they represent.
        var schemes: [String: String?]
        var hasCookies: Bool
        var hasBodies: Bool?
        var isWarmUp: Bool?
        var id: String?
    }
}

/// The secret that authenticates the injected script: 128 random bits that the script keeps from its page.
///
/// A page that existed before the script can learn the token. So no security decision may depend on the token alone. A
/// token is valid for one page, while the view shows the page. The bridge header of a request and the text of a message
/// begin with the token.
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
    /// Returns a value as JavaScript. JSON is JavaScript (ECMA-262, since 2019); older engines reject U+2028 and U+2029
    /// in strings.
    static func value(_ value: some Encodable) -> String {
        // Strings and numbers can always be encoded.
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    /// Returns an object without a prototype. With a prototype, a page could define members that the object lacks, and
    /// obtain the token through them.
    static func object(_ value: some Encodable) -> String {
        #"{"__proto__":null,"# + self.value(value).dropFirst()
    }
}
