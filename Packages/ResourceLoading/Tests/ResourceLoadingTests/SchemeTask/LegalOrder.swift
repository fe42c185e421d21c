// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ResourceLoading

/// What an engine may hear of one task, as a regular expression over the calls that reached it. It knows no states.
///
/// Written with a letter for each call: `s`tart, `r`edirect, res`p`onse, `d`ata, `f`inish and fail, `x`. Each prefix of
/// a legal order is one, since a stop may come after any call.
struct LegalOrder {
    /// Asked again and again for the same few orders.
    private var judged: [String: Bool] = [:]

    mutating func allows(_ calls: String) -> Bool {
        if let known = judged[calls] { return known }
        let isLegal = calls.wholeMatch(of: /(?:s(?:r*(?:x|pd*[fx]?)?)?)?/) != nil
        judged[calls] = isLegal
        return isLegal
    }

    /// Whether no call at all may follow.
    mutating func isComplete(_ calls: String) -> Bool {
        !ResponseDeliveryState.Event.allCases.contains { Self.letter(of: $0).map { allows(calls + $0) } ?? false }
    }

    /// How a call is written; `nil` for a stop, which is the engine's own and no call to it.
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
