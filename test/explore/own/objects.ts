/**
 * Objects that stories share.
 *
 * @module
 */

/** What Pods need beside the controller that is explored. */
export const PODS: readonly string[] = ["scheduler", "garbage-collector", "namespace-controller"];

/** The name of an object of the core group, for a step. */
export const core = (kind: string, name: string) => ({ apiVersion: "v1", kind, name }) as const;
export const apps = (kind: string, name: string) => ({ apiVersion: "apps/v1", kind, name }) as const;

/** A container and labels, as workloads have them. */
export const template = (image: string, more: object = {}) => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image }], ...more },
});
export const selector = { matchLabels: { app: "web" } };

export const pod = (name: string, labels: Readonly<Record<string, string>> = {}, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels },
  spec: { containers: [{ name: "c", image: "web:1" }], ...spec },
});

/** A patch of the image of a workload. */
export const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name: "c", image: name }] } } } });

export const configMap = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...more },
});

/** A user waits for the requested state before continuing: a step fails where it is not reached yet, and what follows shows nothing. */
export function need(what: string, is: boolean): void {
  if (!is) throw new Error(`expected ${what} before the user goes on`);
}
