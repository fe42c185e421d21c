// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// webkit/wkusercontentcontroller [WKUserContentController]
@MainActor
public class WKUserContentController: NSObject {
    struct Key: Hashable {
        let name: String
        let world: ObjectIdentifier
    }
    enum Handler {
        case silent(any WKScriptMessageHandler)
        case replying(any WKScriptMessageHandlerWithReply)
    }
    /// The handlers. The controller retains them, so that a handler that retains its view leaks.
    private(set) var handlers: [Key: Handler] = [:]
    @_spi(Driver) public private(set) var contentRuleLists: [WKContentRuleList] = []

    // webkit/wkusercontentcontroller/userscripts [WKUserContentController userScripts]
    public private(set) var userScripts: [WKUserScript] = []
    // webkit/wkusercontentcontroller/adduserscript(_:) [WKUserContentController addUserScript:]
    public func addUserScript(_ userScript: WKUserScript) { userScripts.append(userScript) }
    // webkit/wkusercontentcontroller/removealluserscripts() [WKUserContentController removeAllUserScripts]
    public func removeAllUserScripts() { userScripts = [] }

    // webkit/wkusercontentcontroller/add(_:name:) [WKUserContentController addScriptMessageHandler:name:]
    public func add(_ scriptMessageHandler: any WKScriptMessageHandler, name: String) {
        add(scriptMessageHandler, contentWorld: .page, name: name)
    }
    // webkit/wkusercontentcontroller/add(_:contentworld:name:)
    // [WKUserContentController addScriptMessageHandler:contentWorld:name:]
    public func add(
        _ scriptMessageHandler: any WKScriptMessageHandler, contentWorld world: WKContentWorld, name: String
    ) {
        insert(.silent(scriptMessageHandler), world, name)
    }
    // webkit/wkusercontentcontroller/addscriptmessagehandler(_:contentworld:name:)
    // [WKUserContentController addScriptMessageHandlerWithReply:contentWorld:name:]
    public func addScriptMessageHandler(
        _ scriptMessageHandlerWithReply: any WKScriptMessageHandlerWithReply, contentWorld: WKContentWorld, name: String
    ) {
        insert(.replying(scriptMessageHandlerWithReply), contentWorld, name)
    }
    // webkit/wkusercontentcontroller/removescriptmessagehandler(forname:)
    // [WKUserContentController removeScriptMessageHandlerForName:]
    public func removeScriptMessageHandler(forName name: String) {
        removeScriptMessageHandler(forName: name, contentWorld: .page)
    }
    // webkit/wkusercontentcontroller/removescriptmessagehandler(forname:contentworld:)
    // [WKUserContentController removeScriptMessageHandlerForName:contentWorld:]
    public func removeScriptMessageHandler(forName name: String, contentWorld: WKContentWorld) {
        handlers[Key(name: name, world: ObjectIdentifier(contentWorld))] = nil
    }
    // webkit/wkusercontentcontroller/removeallscriptmessagehandlers()
    // [WKUserContentController removeAllScriptMessageHandlers]
    public func removeAllScriptMessageHandlers() { handlers = [:] }

    // webkit/wkusercontentcontroller/add(_:) [WKUserContentController addContentRuleList:]
    public func add(_ contentRuleList: WKContentRuleList) { contentRuleLists.append(contentRuleList) }
    // webkit/wkusercontentcontroller/remove(_:) [WKUserContentController removeContentRuleList:]
    public func remove(_ contentRuleList: WKContentRuleList) { contentRuleLists.removeAll { $0 === contentRuleList } }
    // webkit/wkusercontentcontroller/removeallcontentrulelists() [WKUserContentController removeAllContentRuleLists]
    public func removeAllContentRuleLists() { contentRuleLists = [] }

    private func insert(_ handler: Handler, _ world: WKContentWorld, _ name: String) {
        let key = Key(name: name, world: ObjectIdentifier(world))
        guard handlers[key] == nil else { misuse("the world already has a script message handler named '\(name)'") }
        handlers[key] = handler
    }
}

// webkit/wkscriptmessagehandler [WKScriptMessageHandler]
@MainActor
public protocol WKScriptMessageHandler: NSObjectProtocol {
    // webkit/wkscriptmessagehandler/usercontentcontroller(_:didreceive:)
    // [WKScriptMessageHandler userContentController:didReceiveScriptMessage:]
    func userContentController(_ userContentController: WKUserContentController, didReceive message: WKScriptMessage)
}

// webkit/wkscriptmessagehandlerwithreply [WKScriptMessageHandlerWithReply]
@MainActor
public protocol WKScriptMessageHandlerWithReply: NSObjectProtocol {
    // webkit/wkscriptmessagehandlerwithreply/usercontentcontroller(_:didreceive:replyhandler:)
    // [WKScriptMessageHandlerWithReply userContentController:didReceiveScriptMessage:replyHandler:]
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
        replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void)
}

// webkit/wkuserscriptinjectiontime [WKUserScriptInjectionTime]
public enum WKUserScriptInjectionTime: Int, Sendable {
    case atDocumentStart = 0  // [WKUserScriptInjectionTimeAtDocumentStart = 0]
    case atDocumentEnd = 1  // [WKUserScriptInjectionTimeAtDocumentEnd = 1]
}

// webkit/wkuserscript [WKUserScript]
@MainActor
public class WKUserScript: NSObject {
    // webkit/wkuserscript/source [WKUserScript source]
    public let source: String
    // webkit/wkuserscript/injectiontime [WKUserScript injectionTime]
    public let injectionTime: WKUserScriptInjectionTime
    // webkit/wkuserscript/isformainframeonly [WKUserScript isForMainFrameOnly]
    public let isForMainFrameOnly: Bool
    @_spi(Driver) public let world: WKContentWorld

    // webkit/wkuserscript/init(source:injectiontime:formainframeonly:)
    // [WKUserScript initWithSource:injectionTime:forMainFrameOnly:]
    public convenience init(source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool) {
        self.init(source: source, injectionTime: injectionTime, forMainFrameOnly: forMainFrameOnly, in: .page)
    }
    // webkit/wkuserscript/init(source:injectiontime:formainframeonly:in:)
    // [WKUserScript initWithSource:injectionTime:forMainFrameOnly:inContentWorld:]
    public init(
        source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool,
        in contentWorld: WKContentWorld
    ) {
        (self.source, self.injectionTime, isForMainFrameOnly) = (source, injectionTime, forMainFrameOnly)
        world = contentWorld
    }
}

// webkit/wkscriptmessage [WKScriptMessage]
@MainActor
public class WKScriptMessage: NSObject {
    // webkit/wkscriptmessage/body [WKScriptMessage body]
    public let body: Any
    // webkit/wkscriptmessage/webview [WKScriptMessage webView]
    public private(set) weak var webView: WKWebView?
    // webkit/wkscriptmessage/frameinfo [WKScriptMessage frameInfo]
    public let frameInfo: WKFrameInfo
    // webkit/wkscriptmessage/name [WKScriptMessage name]
    public let name: String
    // webkit/wkscriptmessage/world [WKScriptMessage world]
    public let world: WKContentWorld

    init(_ body: Any, _ view: WKWebView, _ frame: WKFrameInfo, _ name: String, _ world: WKContentWorld) {
        (self.body, webView, frameInfo, self.name, self.world) = (body, view, frame, name, world)
    }
}

// webkit/wkcontentworld [WKContentWorld]
@MainActor
public class WKContentWorld: NSObject {
    private static var worlds: [String: WKContentWorld] = [:]
    // webkit/wkcontentworld/page [WKContentWorld pageWorld]
    public static let page = WKContentWorld(nil)
    // webkit/wkcontentworld/defaultclient [WKContentWorld defaultClientWorld]
    public static let defaultClient = WKContentWorld(nil)
    // webkit/wkcontentworld/name [WKContentWorld name]
    public let name: String?

    // webkit/wkcontentworld/world(name:) [WKContentWorld worldWithName:]
    //
    // The same name returns the same world, as documented.
    public static func world(name: String) -> WKContentWorld {
        let world = worlds[name] ?? WKContentWorld(name)
        worlds[name] = world
        return world
    }

    private init(_ name: String?) { self.name = name }
}

// webkit/wkcontentrulelist [WKContentRuleList]
@MainActor
public class WKContentRuleList: NSObject {
    // webkit/wkcontentrulelist/identifier [WKContentRuleList identifier]
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public let identifier: String!
    @_spi(Driver) public let source: String

    init(_ identifier: String, _ source: String) { (self.identifier, self.source) = (identifier, source) }
}

// webkit/wkcontentruleliststore [WKContentRuleListStore]
@MainActor
public class WKContentRuleListStore: NSObject {
    private static let shared = WKContentRuleListStore()

    // webkit/wkcontentruleliststore/default() [WKContentRuleListStore defaultStore]
    public static func `default`() -> WKContentRuleListStore! { shared }

    // webkit/wkcontentruleliststore/compilecontentrulelist(foridentifier:encodedcontentrulelist:completionhandler:)
    // [WKContentRuleListStore compileContentRuleListForIdentifier:encodedContentRuleList:completionHandler:]
    //
    // The double checks the form of the list (url-filter and action type), not the regular expressions.
    public func compileContentRuleList(forIdentifier identifier: String!, encodedContentRuleList: String!) async throws
        -> WKContentRuleList?
    {
        guard let identifier, let encodedContentRuleList,
            let rules = try? JSONSerialization.jsonObject(with: Data(encodedContentRuleList.utf8)) as? [[String: Any]],
            rules.allSatisfy({
                ($0["trigger"] as? [String: Any])?["url-filter"] is String
                    && ($0["action"] as? [String: Any])?["type"] is String
            })
        else { throw WKError(.contentRuleListStoreCompileFailed) }
        await beforeResult?(encodedContentRuleList)
        sources[identifier] = encodedContentRuleList
        return WKContentRuleList(identifier, encodedContentRuleList)
    }

    /// The lists in the store, by identifier.
    @_spi(Driver) public private(set) var sources: [String: String] = [:]
    /// A closure that receives each list before its call returns. A test holds the call with it. All tests have the
    /// same store.
    @_spi(Driver) public var beforeResult: (@MainActor (String) async -> Void)?
}
