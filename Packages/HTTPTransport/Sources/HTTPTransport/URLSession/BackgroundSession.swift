// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A port to a session of URLSession that downloads while the app is not running.
///
/// Isolation: any. A method does not call the queue of the session before it returns.
protocol BackgroundSession: Sendable {
    /// Returns the tasks that have not ended, including those of earlier processes.
    func tasks() async -> [BackgroundSessionTask]
    /// Starts a task and returns its identifier.
    /// - Parameters:
    ///   - source: the file to download, or the data with which a task resumes.
    ///   - description: the text that the session keeps with the task.
    func start(_ source: BackgroundSessionSource, description: String) -> Int
    /// Cancels a task if it has not ended. The task then ends with an error.
    func cancel(_ task: Int)
}

/// A task of a background session.
struct BackgroundSessionTask: Sendable, Hashable {
    /// The identifier, which no later task of the session has.
    let id: Int
    /// The text with which the task was started.
    let description: String?
}

/// The start of a task of a background session.
enum BackgroundSessionSource: Sendable, Hashable {
    case url(URL)
    /// The resume data of a task that failed.
    case resumeData(Data)
}

#if canImport(Darwin)
    /// A background session of the system, which keeps the queue for the life of the process.
    final class SystemBackgroundSession: BackgroundSession {
        private let session: URLSession

        init(identifier: String, queue: BackgroundDownloadQueue) {
            let settings = URLSessionConfiguration.background(withIdentifier: identifier)
            settings.isDiscretionary = true
            settings.sessionSendsLaunchEvents = true
            settings.allowsConstrainedNetworkAccess = false
            settings.allowsExpensiveNetworkAccess = false
            settings.urlCache = nil
            settings.requestCachePolicy = .reloadIgnoringLocalCacheData
            settings.httpShouldSetCookies = false
            settings.httpCookieStorage = nil
            settings.urlCredentialStorage = nil
            settings.timeoutIntervalForResource = BackgroundDownloadQueue.retention
            session = URLSession(configuration: settings, delegate: Delegate(queue), delegateQueue: nil)
        }

        func tasks() async -> [BackgroundSessionTask] { await session.allTasks.map(BackgroundSessionTask.init) }

        func start(_ source: BackgroundSessionSource, description: String) -> Int {
            let task: URLSessionDownloadTask
            switch source {
            case .url(let url):
                var request = URLRequest(url: url)
                request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
                task = session.downloadTask(with: request)
            case .resumeData(let data): task = session.downloadTask(withResumeData: data)
            }
            task.taskDescription = description
            task.resume()
            return task.taskIdentifier
        }

        func cancel(_ task: Int) {
            session.getAllTasks { tasks in tasks.first { $0.taskIdentifier == task }?.cancel() }
        }

        /// A delegate that forwards the calls of the session, which are serial.
        private final class Delegate: NSObject, URLSessionDownloadDelegate, Sendable {
            private let queue: BackgroundDownloadQueue

            init(_ queue: BackgroundDownloadQueue) {
                self.queue = queue
            }

            func urlSession(
                _ session: URLSession, downloadTask task: URLSessionDownloadTask, didFinishDownloadingTo location: URL
            ) {
                let status = (task.response as? HTTPURLResponse)?.statusCode
                queue.didFinish(BackgroundSessionTask(task), status: status, at: task.response?.url, file: location)
            }

            func urlSession(
                _ session: URLSession, downloadTask task: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
                totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
            ) {
                queue.didReceive(BackgroundSessionTask(task), bytes: totalBytesWritten)
            }

            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                guard let error else { return }
                let resumeData = (error as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data
                queue.didFail(BackgroundSessionTask(task), error, resumeData: resumeData)
            }

            func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
                queue.didFinishEvents()
            }
        }
    }

    extension BackgroundSessionTask {
        fileprivate init(_ task: URLSessionTask) {
            self.init(id: task.taskIdentifier, description: task.taskDescription)
        }
    }
#endif
