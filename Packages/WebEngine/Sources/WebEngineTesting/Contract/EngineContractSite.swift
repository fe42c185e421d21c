// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
public import WebEngine

/// An engine under test, and the events that only its pages and processes cause.
///
/// The checks use a new site each. A call that needs a missing ability is not made.
///
/// Isolation: the main actor.
@MainActor
public protocol EngineContractSite: AnyObject {
    /// The abilities that the site lacks, each with the reason.
    var missingAbilities: [EngineContractAbility: String] { get }

    /// Creates the engine under test. The site may reference it weakly only.
    func makeEngine() throws -> any WebEngineDriver

    /// Prepares a new view, so that its loads run. The site may reference it weakly only.
    func prepare(_ view: any EngineView)

    /// Sends a request of the page in a view, and returns when the page has the complete response or an error. The page
    /// cancels the request when the task is cancelled.
    func send(_ request: EngineContractRequest, in view: any EngineView) async throws -> EngineContractResponse

    /// Posts a message of the page to a message handler, and returns when its promise has settled.
    func post(
        _ json: String, to handler: String, in world: ScriptWorld, of view: any EngineView
    ) async throws -> EngineContractReply

    /// Starts a navigation by the page to an absolute URL, as `location.href = …` does.
    func navigate(to url: String, in view: any EngineView) async throws

    /// Opens a dialog by a script of the page.
    /// - Returns: the result of the call in the page as JSON; `null` for `undefined`.
    func open(_ dialog: DialogKind, message: String, in view: any EngineView) async throws -> String

    /// Ends the web process of a view, as a crash does.
    func endProcess(of view: any EngineView) async throws

    /// Returns the number of observers that an engine has in the cookie store of its system.
    func cookieObservers(of engine: any WebEngineDriver) throws -> Int
}

/// An ability of a site that some checks need.
public enum EngineContractAbility: String, Sendable, Hashable, CaseIterable {
    /// Pages run the scripts of ``EngineContractScript``.
    case scripts
    /// The scripts and message handlers of different worlds are apart.
    case worlds
    /// The app can stop, replace and repeat loads.
    case loadControl
    /// Pages navigate.
    case navigation
    /// The app can give the engine the document of a navigation.
    case documents
    /// The engine checks the replies of message handlers.
    case replyCheck
    /// Messages and pending replies end with their document or view.
    case messageEnds
    /// The engine releases the views that the app releases.
    case release
    /// A view without state follows a used one.
    case reset
    /// Cookies have the attribute `SameSite`.
    case sameSite
    /// The observers of the system's cookie store can be counted.
    case cookieObservers
    /// Open prompts end with their view.
    case promptEnds
}

/// A request of a page.
public struct EngineContractRequest: Sendable {
    /// The absolute URL.
    public var url: String
    /// The method.
    public var method: HTTPRequest.Method
    /// The header fields; at most one with each name.
    public var fields: HTTPFields
    /// The body; `nil` for none.
    public var body: String?

    init(_ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], body: String? = nil) {
        (self.url, self.method, self.fields, self.body) = (url, method, fields, body)
    }
}

/// The response that a page has received.
public struct EngineContractResponse: Sendable {
    /// The status; `nil` if the head did not arrive.
    public var status: Int?
    /// The value of the header field `X-Contract`; `nil` if it did not arrive.
    public var field: String?
    /// The body; empty if the page does not keep an incomplete one.
    public var body: Data
    /// The error that the page sees; `nil` if the response is complete.
    public var error: String?

    /// Creates a response.
    public init(status: Int?, field: String?, body: Data, error: String?) {
        (self.status, self.field, self.body, self.error) = (status, field, body, error)
    }
}

/// The result of a posted message.
public enum EngineContractReply: Sendable, Hashable {
    /// The world has no handler with the name.
    case noHandler
    /// The reply as JSON, with sorted keys.
    case value(String)
    /// The promise was rejected.
    case rejected
}
