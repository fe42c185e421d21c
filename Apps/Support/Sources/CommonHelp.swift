// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The help text that all programs share.
public enum CommonHelp {
    /// The contract for output, exit status and error lines.
    public static let contract = """
        Results go to standard output, as JSON with --json; everything else to standard error. Exit status: 0 done, \
        64 usage, 65 bad input, 66 no such input, 69 service unavailable, 70 internal error, 74 I/O error, 77 refused. \
        An error is one line: error: <code>: <what> (<where>).
        """
}
