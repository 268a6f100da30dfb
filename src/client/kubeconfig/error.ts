/** A kubeconfig, or a file that it names, is invalid. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
}

/** There is no default kubeconfig. */
export class NoKubeconfigError extends KubeconfigError {}
