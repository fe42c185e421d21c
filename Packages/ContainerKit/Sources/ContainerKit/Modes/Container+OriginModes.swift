// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import RequestPipeline
internal import ResourceLoading

// In which mode the pages of an origin open.
extension Container {
    /// How origins were opened, or are to be, by their texts, such as `https://shop.example`: what
    /// ``ContainerConfiguration/Pages/originModes`` goes by.
    /// Empty where all modes in use leave pages their true origin, and where nothing is to stay.
    public var originModes: [String: OriginMode] {
        origins?.all ?? [:]
    }

    /// Decides how pages of an origin open from now on, whatever covers them, or with `nil`, that the next one that is
    /// opened decides. Pages that are open stay as they are. What pages have stored does not move along.
    /// - Parameters:
    ///   - mode: how the pages open; `nil` if the next page that is opened decides.
    ///   - url: any URL of the origin.
    /// - Throws: ``ContainerError`` with code `invalidURL`, or `unsupported` where origins have no mode of their own.
    public func setMode(_ mode: OriginMode?, ofOrigin url: String) throws {
        guard let real = RealURL(url), let origin = WebOrigin(url: real.text) else {
            throw ContainerError(.invalidURL, "only http and https pages have an origin", at: url)
        }
        guard let origins else {
            throw ContainerError(.unsupported, "origins have no mode of their own here", at: url)
        }
        origins.set(mode, of: origin)
    }
}
