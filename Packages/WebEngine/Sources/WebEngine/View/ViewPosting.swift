// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// The documents of a view that are requested with a method other than GET.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewPosting: AnyObject {
    /// A Boolean value that indicates whether the current document was requested with a method other than GET; `false`
    /// if the engine does not report the method.
    var isPosted: Bool { get }

    /// Returns a Boolean value that indicates whether the navigation in progress to a URL uses a method other than GET;
    /// `false` if the engine does not report the method.
    func isPosting(to url: String) -> Bool

    /// A Boolean value that indicates whether ``post(_:fields:to:)`` sends any body, and the header fields of the app.
    ///
    /// If it is `false`, the engine has no call for a request with a body. The adapter then submits a form with one
    /// control. The body must be one pair `name=value` of ASCII letters and digits, and the fields are not sent.
    var sendsBodies: Bool { get }

    /// Starts to load a URL by POST, as ``ViewLoading/load(_:)`` does by GET. The view sends the signals of one load.
    /// - Parameters:
    ///   - body: the body of the request; see ``sendsBodies``.
    ///   - fields: the header fields of the request, with `Content-Type`.
    ///   - url: the URL of the document.
    func post(_ body: Data, fields: HTTPFields, to url: String)
}
