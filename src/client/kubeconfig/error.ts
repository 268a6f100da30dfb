/** A kubeconfig, or what it names, is not as it is expected; the message says where. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
}

/** There is no kubeconfig where one is looked for, and none was named. */
export class NoKubeconfigError extends KubeconfigError {}
