// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension StringProtocol {
    /// Without spaces and tabs at both ends.
    func trimmingBlanks() -> SubSequence {
        let start = drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? start.prefix(0)
    }
}
