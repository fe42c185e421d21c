// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// A chain of loaders that returns the first non-nil response.
public struct LoaderChain: ResourceLoader {
    private let loaders: [any ResourceLoader]

    /// Creates a chain.
    public init(_ loaders: [any ResourceLoader]) {
        self.loaders = loaders
    }

    nonisolated(nonsending) public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        for loader in loaders {
            if let response = try await loader.load(request) {
                return response
            }
        }
        return nil
    }

    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        for loader in loaders {
            switch loader.immediateResponse(to: request) {
            case .known(nil): continue
            case let answer: return answer
            }
        }
        return .known(nil)
    }
}

extension ResourceLoader where Self == LoaderChain {
    /// Creates a loader that returns the first non-nil response of the given loaders.
    public static func first(of loaders: any ResourceLoader...) -> Self {
        LoaderChain(loaders)
    }
}
