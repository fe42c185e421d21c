// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// Loaders in order: the first that does not say "not mine" answers.
public struct LoaderChain: ResourceLoading {
    private let loaders: [any ResourceLoading]

    public init(_ loaders: [any ResourceLoading]) {
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

    public func promptAnswer(to request: ResourceRequest) -> PromptAnswer {
        for loader in loaders {
            switch loader.promptAnswer(to: request) {
            case .known(nil): continue
            case let answer: return answer
            }
        }
        return .known(nil)
    }
}

extension ResourceLoading where Self == LoaderChain {
    /// The first of `loaders` that answers.
    public static func first(of loaders: any ResourceLoading...) -> Self {
        LoaderChain(loaders)
    }
}
