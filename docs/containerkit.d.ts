// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/** The interface of a page to its container. docs/page-interface.md describes it. All members are frozen. */
interface ContainerKitPage {
  /** Returns the package that the document belongs to, in the version that the page uses; `null` without a package. */
  package(): Promise<ContainerKitVersion | null>;

  /** Reports that the document works. The first report of a document counts. */
  ready(): Promise<void>;

  /**
   * Reports that the document does not work. The first report of a document counts.
   * @param reason The reason, of which at most 256 characters are reported.
   */
  failed(reason: unknown): Promise<void>;

  /** Reloads the page with the active version of its package. Returns `false` if the page already uses that version. */
  reload(): Promise<boolean>;

  /** Returns the state of the network. */
  network(): Promise<ContainerKitNetwork>;

  /** Adds a listener of an event. The same listener is called once. */
  addEventListener<Type extends keyof ContainerKitEvents>(
    type: Type, listener: (detail: ContainerKitEvents[Type]) => void): void;

  /** Removes a listener of an event. */
  removeEventListener<Type extends keyof ContainerKitEvents>(
    type: Type, listener: (detail: ContainerKitEvents[Type]) => void): void;
}

interface ContainerKitEvents {
  /** A version of the page's package is installed, and waits until the app activates it. */
  update: ContainerKitVersion;
  /** A version of the page's package is active that the page does not use. `reload()` changes to it. */
  activated: ContainerKitVersion;
  /** The network has changed. */
  network: ContainerKitNetwork;
}

interface ContainerKitVersion {
  readonly id: string;
  readonly version: string;
}

interface ContainerKitNetwork {
  /** `true` if there is a network. */
  readonly online: boolean;
  /** `true` if traffic may cost money; `null` if this is unknown. */
  readonly metered: boolean | null;
}

interface Window {
  /** The interface, under the name that the app has chosen. Only pages of the container have it. */
  readonly containerkit?: ContainerKitPage;
}
