// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import Foundation

    /// The keep-alive timers of this machine's TCP connections, from the kernel's table (proc_net_tcp.txt).
    enum KeepAliveTimers {
        /// Returns a Boolean value that indicates whether an open connection to a port uses TCP keep-alive. For a
        /// connection with unacknowledged bytes the table shows another timer.
        static func isRunning(to port: Int) throws -> Bool {
            for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
                // Kernel files report no size, so `String` would read only a part of them.
                guard let handle = FileHandle(forReadingAtPath: table), let data = try handle.readToEnd() else {
                    continue
                }
                let text = String(decoding: data, as: UTF8.self)
                for line in text.split(separator: "\n").dropFirst() {
                    let fields = line.split(separator: " ")
                    guard fields.count > 5, let remote = fields[2].split(separator: ":").last,
                        Int(remote, radix: 16) == port, fields[3] == "01"
                    else { continue }
                    if fields[5].hasPrefix("02:") { return true }
                }
            }
            return false
        }
    }
#endif
