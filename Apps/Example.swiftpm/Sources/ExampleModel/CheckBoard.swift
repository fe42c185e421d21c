// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import Observation

/// The results of the manual checks.
///
/// Isolation: the main actor.
@MainActor
@Observable
public final class CheckBoard {
    /// The result of a check.
    public enum State: String, Sendable, Codable {
        /// The check passed.
        case pass
        /// The check failed.
        case fail
        /// A person, or the app, has to do something first.
        case needs
    }

    /// A result with a text of at most 200 characters.
    public struct Result: Sendable, Hashable {
        /// The state of the check.
        public var state: State
        /// The reason, or more about the result; may be empty.
        public var detail: String
    }

    /// The last results by the number of the check.
    public private(set) var results: [Int: Result] = [:]

    /// Creates a board without results.
    public init() {}

    /// Records the result of a check. Numbers of no check are ignored.
    public func record(_ number: Int, _ state: State, _ detail: String = "") {
        guard ManualCheck.all.contains(where: { $0.id == number }) else { return }
        results[number] = Result(state: state, detail: String(detail.prefix(200)))
    }

    /// Records the message of a page. Returns `false` if it is not a result.
    @discardableResult
    public func record(message json: String) -> Bool {
        struct Message: Decodable {
            let number: Int
            let state: State
            let detail: String
        }
        guard let message = try? JSONDecoder().decode(Message.self, from: Data(json.utf8)) else { return false }
        record(message.number, message.state, message.detail)
        return true
    }
}
