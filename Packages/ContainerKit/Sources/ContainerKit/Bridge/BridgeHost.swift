// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge

/// Answers what pages' scripts ask the container.
@MainActor
final class BridgeHost: BridgeHosting {
    private let path: RequestPath

    init(path: RequestPath) {
        self.path = path
    }

    func covers(_ url: String) -> Bool {
        path.covers(url)
    }

    func cookies(for place: BridgeQuestion.Place) -> String { "" }
    func setCookie(_ text: String, from place: BridgeQuestion.Place) {}
}
