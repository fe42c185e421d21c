// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_exported public import Diagnostics
@_exported public import HTTPCache
@_exported public import PageDownloads
@_exported public import PagePrefetch
@_exported public import PagePrompts
@_exported public import PageRecovery
@_exported public import RemoteConfig
@_exported public import ResourceLoading
@_exported public import WebEngine

// The API of the facade names types of these modules, so that an app writes one import.
@_exported public import struct CookieBridge.CookieOptions
@_exported public import struct RequestPipeline.FileAnswerOptions
@_exported public import struct RequestPipeline.ForcedBridges
@_exported public import enum RequestPipeline.OriginMode
@_exported public import enum RequestPipeline.OriginModePolicy
@_exported public import struct RequestPipeline.PageMode
@_exported public import struct LoopbackInterception.LoopbackOptions
