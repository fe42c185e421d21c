// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    extension WebKitGTKEngine {
        /// The storage, appearance and sandbox options of an engine. A view copies them when it is created.
        public struct Configuration: Sendable {
            /// The storage of cookies, caches and page data; in memory by default.
            public var storage = Storage.ephemeral
            /// The width and height of new views in pixels; 1280 × 800 by default.
            public var viewSize = (width: 1280, height: 800)
            /// A Boolean value that indicates whether pages are composited with OpenGL; true by default.
            ///
            /// Without a GPU, for example under Xvfb, OpenGL is emulated on the processor. A page that takes 2.6 s to
            /// start with emulated OpenGL takes 2.1 s without OpenGL.
            public var usesHardwareAcceleration = true
            /// A Boolean value that indicates whether each view is drawn in its own window. If `false`, the default,
            /// views are drawn into memory, and media playback never starts.
            public var showsWindows = false
            /// The maximum number of messages that wait for one handler of one view; 256 by default. Further messages
            /// are refused, and the page's promise is rejected.
            public var messageLimit = 256
            /// The languages that the engine reports to servers and scripts, as BCP 47 tags in order of preference.
            ///
            /// If the list is empty, as by default, the languages of the process's locale are used, or `en-US` if the
            /// locale names none.
            public var languages: [String] = []

            /// The sandbox of web processes; ``Sandbox/required`` by default.
            public var sandbox = Sandbox.required

            /// Creates the default options.
            public init() {}
        }

        /// The use of the engine's sandbox. The sandbox gives each web process its own namespaces (files, processes,
        /// network) and a system call filter. It needs bubblewrap, xdg-dbus-proxy and user namespaces (or root).
        public enum Sandbox: Sendable, Hashable {
            /// Every web process is sandboxed. If that is not possible, the engine's initializer throws.
            case required
            /// Web processes are sandboxed if possible; see ``WebKitGTKEngine/sandboxFault``. Without a sandbox, a page
            /// that compromises a web process has all rights of the app.
            case whenAvailable
            /// No web process is sandboxed.
            case off
        }

        /// The location of cookies, caches and page data.
        public enum Storage: Sendable, Hashable {
            /// In memory. The data is lost when the engine ends.
            case ephemeral
            /// In a folder that only one engine uses at a time. It is created if it does not exist. Session cookies are
            /// lost when the engine ends.
            case directory(path: String)
        }
    }
#endif
