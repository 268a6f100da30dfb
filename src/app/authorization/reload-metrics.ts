import type { Metric } from "../../util/exposition.ts";
import type { Reloads } from "../files/watched-file.ts";

/**
 * Returns the metrics of an authorization configuration that is watched, with the names of kube-apiserver.
 *
 * @param hash of the text in use
 */
export const reloadMetrics = (reloads: Reloads, hash: string): readonly Metric[] => [
  {
    name: "apiserver_authorization_config_controller_automatic_reloads_total",
    type: "counter",
    help: "Changed configurations of authorizers, by whether they could be used.",
    samples: Object.entries(reloads).map(([status, value]) => ({ value, labels: { status } })),
  },
  {
    name: "apiserver_authorization_config_controller_last_config_info",
    type: "gauge",
    help: "The hash of the configuration of authorizers that is used.",
    samples: [{ value: 1, labels: { hash } }],
  },
];
