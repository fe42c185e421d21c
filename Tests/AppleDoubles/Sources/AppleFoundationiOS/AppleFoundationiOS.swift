// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The declarations of Foundation that iOS has and macOS lacks.

public import Foundation

extension ProcessInfo {
    // foundation/processinfo/performexpiringactivity(withreason:using:), since iOS 8.2; not on macOS
    public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (_ expired: Bool) -> Void
    ) {}
}
