// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    extension WebKitGTKEngine {
        /// How the engine keeps data and shows views. A value; views take theirs over when they are made.
        public struct Configuration: Sendable {
            /// Where the engine keeps what pages store; in memory by default.
            public var storage = Storage.ephemeral
            /// Width and height of new views in pixels; 1280 × 800 by default.
            public var viewSize = (width: 1280, height: 800)
            /// Whether pages are composited with OpenGL; on by default. Without a GPU, as under Xvfb, OpenGL is emulated on
            /// the processor and takes time from the page: a page that needs 2.6 s to boot then needs 2.1 s without it.
            public var usesHardwareAcceleration = true
            /// A Boolean value that indicates whether each view is drawn in a window of its own. If `false`, the default, views
            /// are drawn into memory, where media never start.
            public var showsWindows = false
            /// The most messages of pages that wait for one handler of one view; what comes beyond is refused, and the page's
            /// promise rejected. 256 by default.
            public var messageLimit = 256
            /// The user's languages as tags of BCP 47, the preferred one first: what the engine tells servers and scripts. Those
            /// of the process's locale by default, and `en-US` where it names none.
            public var languages: [String] = []

            /// The sandbox of web processes; ``Sandbox/required`` by default.
            public var sandbox = Sandbox.required

            public init() {}
        }

        /// The use of the engine's sandbox, which gives each web process namespaces of its own (files, processes, network)
        /// and a filter of system calls. It needs bubblewrap, xdg-dbus-proxy and user namespaces (or root).
        public enum Sandbox: Sendable, Hashable {
            /// Every web process is sandboxed. Where that is not possible, the engine is not made.
            case required
            /// Web processes are sandboxed where that is possible; see ``WebKitGTKEngine/sandboxFault``. A page that takes
            /// over a web process can otherwise do what the app can do.
            case whenAvailable
            /// No web process is sandboxed.
            case off
        }

        /// Where an engine keeps cookies, caches and what pages store.
        public enum Storage: Sendable, Hashable {
            /// In memory, gone with the engine.
            case ephemeral
            /// In a folder that belongs to the engine, made where it is missing. One engine at a time uses it. Cookies
            /// without an expiry are gone with the engine all the same.
            case directory(path: String)
        }
    }
#endif
