// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What the programs have in common, in the words of their help.
public enum CommonHelp {
    /// Where output goes, what the exit status means, and what an error looks like.
    public static let contract = """
        Results go to standard output, as JSON with --json; everything else to standard error. Exit status: 0 done, \
        64 usage, 65 bad input, 66 no such input, 69 service unavailable, 70 internal error, 74 I/O error, 77 refused. \
        An error is one line: error: <code>: <what> (<where>).
        """
}
