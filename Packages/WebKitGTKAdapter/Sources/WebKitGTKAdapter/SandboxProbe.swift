// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport
internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation
    internal import Glibc

    /// A check that WebKitGTK 2.50 can run web processes in its sandbox.
    ///
    /// Measured: if the launcher fails, the engine terminates the app. In three cases it starts web processes without a
    /// sandbox instead: if the environment variable in ``fault(environment:)`` is set, in a snap, and in a Podman
    /// container in which the launcher fails.
    struct SandboxProbe {
        /// The path of the launcher of sandboxed processes. It is compiled into the engine.
        var launcher = "/usr/bin/bwrap"
        /// The path of the filter between web processes and the session bus. It is compiled into the engine.
        var busProxy = "/usr/bin/xdg-dbus-proxy"
        /// The path of the file that exists in a Flatpak sandbox.
        var flatpakMark = "/.flatpak-info"
        /// The time limit for one run of the launcher. Measured: a run takes 7 ms.
        var limit = Duration.seconds(5)

        /// Returns the reason why web processes cannot be sandboxed; `nil` if they can.
        ///
        /// Blocks the thread while the launcher runs, for at most ``limit``.
        func fault(environment: [String: String]) -> EngineError? {
            let variable = "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS"
            if let value = environment[variable], value != "0" {
                return EngineError(.noSandbox, "the environment turns the engine's sandbox off", at: variable)
            }
            if ["SNAP", "SNAP_NAME", "SNAP_REVISION"].allSatisfy({ environment[$0] != nil }) {
                return EngineError(.noSandbox, "the engine has no sandbox of its own inside a snap", at: "SNAP")
            }
            if access(flatpakMark, F_OK) == 0 {
                return EngineError(.noSandbox, "the engine's sandbox is not supported inside Flatpak", at: flatpakMark)
            }
            for (program, package) in [(launcher, "bubblewrap"), (busProxy, "xdg-dbus-proxy")]
            where access(program, X_OK) != 0 {
                return EngineError(.noSandbox, "the engine's sandbox needs the package \(package)", at: program)
            }
            return launcherFault().map {
                EngineError(.noSandbox, "the engine's sandbox needs user namespaces: \($0)", at: launcher)
            }
        }

        /// Runs the launcher with the namespaces that the engine requests, and prints its version inside them.
        /// - Returns: the reason for the failure; `nil` if the launcher succeeded.
        private func launcherFault() -> String? {
            var ends: [Int32] = [-1, -1]
            guard g_unix_open_pipe(&ends, FD_CLOEXEC, nil) != 0 else { return SystemError.reason(of: errno) }
            // A process of the launcher that still runs may have the write end open, so that a read would block.
            g_unix_set_fd_nonblocking(ends[0], 1, nil)
            defer { close(ends[0]) }
            let started = start(output: ends[1])
            close(ends[1])
            switch started {
            case .failure(let fault): return fault.message
            case .success(let process):
                switch end(of: process) {
                case .status(0): return nil
                case .status(let status):
                    return Self.line(from: ends[0]) ?? "the launcher ended with status \(status)"
                case .unknown:
                    let line = Self.line(from: ends[0])
                    return line?.hasPrefix("bubblewrap") == true ? nil : line ?? "the launcher ended without output"
                case .late: return "the launcher did not end in time"
                }
            }
        }

        /// Starts the launcher with an empty environment. `output` becomes its standard output and standard error.
        private func start(output: Int32) -> Result<pid_t, EngineError> {
            let arguments = [
                launcher, "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
                "--unshare-all", "--", launcher, "--version",
            ]
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
            var texts: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
            defer { for text in texts { free(text) } }
            var nothing: [UnsafeMutablePointer<CChar>?] = [nil]
            var process: pid_t = 0
            let failure = posix_spawn(&process, launcher, &actions, nil, &texts, &nothing)
            return failure == 0 ? .success(process) : .failure(EngineError(.noSandbox, SystemError.reason(of: failure)))
        }

        private enum End {
            case status(Int32)
            /// The status is unknown, because the app ignores SIGCHLD or has already waited for the process.
            case unknown
            /// The process was killed after ``limit``.
            case late
        }

        /// Waits for the end of a process until ``limit``, and then kills it.
        private func end(of process: pid_t) -> End {
            let deadline = ContinuousClock.now + limit
            var status: Int32 = 0
            while true {
                let ended = waitpid(process, &status, WNOHANG)
                if ended == process { return .status(status) }
                if ended < 0, errno != EINTR { return .unknown }
                if ContinuousClock.now >= deadline { break }
                wait(for: process, until: deadline)
            }
            kill(process, SIGKILL)
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return .late
        }

        /// Waits until the process has ended or the deadline has passed. The call may return earlier.
        private func wait(for process: pid_t, until deadline: ContinuousClock.Instant) {
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline)) / .milliseconds(1)
            let descriptor = containerkit_pidfd_open(process)
            // Kernels before Linux 5.3 and some sandboxes do not support process descriptors.
            guard descriptor >= 0 else {
                poll(nil, 0, Int32(min(rest, 5)))
                return
            }
            defer { close(descriptor) }
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&watched, 1, Int32(rest.rounded(.up)))
        }

        /// Returns the first line that the launcher wrote, without its name; `nil` if it wrote nothing.
        private static func line(from descriptor: Int32) -> String? {
            let bytes = [UInt8](unsafeUninitializedCapacity: 512) { buffer, count in
                count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
            let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            let text = line.hasPrefix("bwrap: ") ? String(line.dropFirst(7)) : line
            return text.isEmpty ? nil : text
        }
    }
#endif
