// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) import ResourceLoading

/// The legal calls to an engine for one task, as a regular expression that is independent of the state machine.
///
/// Each call is one letter: `s`tart, `r`edirect, res`p`onse, `d`ata, `f`inish and fail, `x`. Each prefix of a legal
/// order is legal too, because a stop may come after any call.
struct LegalOrder {
    /// A cache of results, because the same few orders are checked repeatedly.
    private var judged: [String: Bool] = [:]

    mutating func allows(_ calls: String) -> Bool {
        if let known = judged[calls] { return known }
        let isLegal = calls.wholeMatch(of: /(?:s(?:r*(?:x|pd*[fx]?)?)?)?/) != nil
        judged[calls] = isLegal
        return isLegal
    }

    /// Returns a Boolean value that indicates whether no further call is allowed.
    mutating func isComplete(_ calls: String) -> Bool {
        !ResponseDeliveryState.Event.allCases.contains { Self.letter(of: $0).map { allows(calls + $0) } ?? false }
    }

    /// Returns the letter of a call, or `nil` for a stop, which is not a call to the engine.
    static func letter(of event: ResponseDeliveryState.Event) -> String? {
        switch event {
        case .start: "s"
        case .redirect: "r"
        case .response: "p"
        case .data: "d"
        case .finish: "f"
        case .fail: "x"
        case .stop: nil
        }
    }
}
