/** A kubeconfig, or what it names, is not as it is expected; the message says where. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
}
